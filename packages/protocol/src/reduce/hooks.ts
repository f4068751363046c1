import type { Envelope, EventOf } from '../schema/event.ts'
import type { ItemId } from '../schema/ids.ts'
import type { Core, HooksSaid, OpenItem, Turn } from '../schema/state.ts'
import { valueAt } from './approvals.ts'

type HookRan = EventOf<'hook.ran'>

/** Keeps with the turn which hook it waits for. */
export function reduceRunningHook(core: Core, event: EventOf<'hook.running'>, { at }: Pick<Envelope, 'at'>): Core {
  const { hook, turnId, itemId, durationMs } = event
  const { turn } = core
  if (turn === null || turn.id !== turnId) return core
  const about = itemId === undefined ? {} : { itemId }
  return { ...core, turn: { ...turn, hook: { ...hook, ...about, startedAt: at - durationMs } } }
}

/** Returns the turn without the hook that it waits for, where that runs for this call. */
export function withoutHookOf(turn: Core['turn'], itemId: ItemId): Core['turn'] {
  return turn?.hook?.itemId === itemId ? withoutHook(turn) : turn
}

function withoutHook({ hook: _, ...turn }: Turn): Turn {
  return turn
}

/** Keeps what hooks say before a call with its open item, and lets the turn go on that a hook does not let end. */
export function reduceHook(core: Core, event: HookRan): Core {
  const { itemId, hook } = event
  const known = core.turn === null ? core : { ...core, turn: changeTurn(core.turn, event) }
  return hook.on === 'PreToolUse' && itemId !== undefined ? changeCall(known, itemId, event) : known
}

function changeTurn(before: Turn, { hook, itemId, outcome, turnId, endsTurn, reason }: HookRan): Turn {
  if (before.id !== turnId) return before
  const isOver = before.hook?.name === hook.name && before.hook.itemId === itemId
  const turn = isOver ? withoutHook(before) : before
  if (outcome !== 'stopped') return turn
  if (endsTurn === true)
    return { ...turn, stoppedBy: `The hook "${hook.name}" ended the turn: ${reason ?? 'no reason'}` }
  return hook.on === 'Stop' ? heldOpen(turn) : turn
}

function heldOpen(turn: Turn): Turn {
  return turn.goesOn === true ? turn : { ...turn, goesOn: true, heldOpen: (turn.heldOpen ?? 0) + 1 }
}

function changeCall(core: Core, itemId: OpenItem['item']['id'], event: HookRan): Core {
  const open = valueAt(core.open, itemId)
  if (open === undefined) return core
  const { rewritten } = event
  const item = rewritten === undefined ? open.item : rewritten.item
  return { ...core, open: { ...core.open, [itemId]: { ...open, item, hooks: saidWith(open.hooks, event) } } }
}

/** From the one that holds a call up least; the outcomes that are left out count as `passed`. */
const byStrictness = ['passed', 'asked', 'stopped'] as const

function saidWith(before: HooksSaid | undefined, { hook, outcome, reason, rewritten }: HookRan): HooksSaid {
  const known = before ?? { outcome: 'passed', ran: [] }
  const ran = [...known.ran, hook]
  const found = byStrictness.find((one) => one === outcome) ?? 'passed'
  const isStricter = byStrictness.indexOf(found) > byStrictness.indexOf(known.outcome)
  const stricter = isStricter
    ? { outcome: found, hook, ...(reason === undefined ? {} : { reason }), ran }
    : { ...known, ran }
  const changed = rewritten?.arguments ?? known.arguments
  return changed === undefined ? stricter : { ...stricter, arguments: changed }
}
