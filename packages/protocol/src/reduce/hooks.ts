import type { EventOf } from '../schema/event.ts'
import type { Core, HooksSaid, OpenItem, Turn } from '../schema/state.ts'
import { valueAt } from './approvals.ts'

type HookRan = EventOf<'hook.ran'>

/** Keeps what hooks say before a call with its open item, and lets the turn go on that a hook does not let end. */
export function reduceHook(core: Core, event: HookRan): Core {
  const { itemId, hook } = event
  const known = core.turn === null ? core : { ...core, turn: changeTurn(core.turn, event) }
  return hook.on === 'PreToolUse' && itemId !== undefined ? changeCall(known, itemId, event) : known
}

function changeTurn(turn: Turn, { hook, outcome, turnId, endsTurn, reason }: HookRan): Turn {
  if (turn.id !== turnId || outcome !== 'stopped') return turn
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
