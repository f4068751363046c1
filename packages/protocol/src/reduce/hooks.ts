import type { Envelope, EventOf } from '../schema/event.ts'
import type { ItemId } from '../schema/ids.ts'
import type { Core, HooksSaid, HooksStarted, OpenItem, Turn } from '../schema/state.ts'
import { valueAt } from './approvals.ts'

type HookRan = EventOf<'hook.ran'>

/** Moments of which several may be open at once, since the conversation does not wait for their hooks. */
const toldOnly: ReadonlySet<HooksStarted['on']> = new Set(['PermissionDecision', 'Notification', 'SessionEnd'])

/** Keeps the hooks of a moment until they have ended; those that run again take the place of those that were cut off. */
export function reduceStartedHooks(core: Core, { type: _, ...moment }: EventOf<'hooks.started'>): Core {
  const known = core.hooks ?? []
  const others = toldOnly.has(moment.on) ? known : known.filter((one) => !isSameMoment(one, moment))
  return withHooks(core, [...others, moment])
}

function isSameMoment(one: Pick<HooksStarted, 'on' | 'itemId'>, other: Pick<HooksStarted, 'on' | 'itemId'>): boolean {
  return one.on === other.on && one.itemId === other.itemId
}

/** Returns the state with these moments; without the key where there are none. */
function withHooks({ hooks: _, ...core }: Core, moments: readonly HooksStarted[]): Core {
  return moments.length === 0 ? core : { ...core, hooks: [...moments] }
}

/** Returns the state without the moments before a call that has ended, and the question about it. */
export function withoutMomentsOf(core: Core, itemId: ItemId): Core {
  if (core.hooks === undefined) return core
  const isOver = (one: HooksStarted) =>
    one.itemId === itemId && (one.on === 'PreToolUse' || one.on === 'PermissionRequest')
  return withHooks(
    core,
    core.hooks.filter((one) => !isOver(one)),
  )
}

/** Returns the state without the moments of a turn that has ended. */
export function withoutMomentsIn(core: Core, turnId: Turn['id']): Core {
  if (core.hooks === undefined) return core
  return withHooks(
    core,
    core.hooks.filter((one) => one.turnId !== turnId),
  )
}

/** Takes a hook that has ended from its moment, which ends with the last, and with one that stops or is interrupted. */
function endInMoment(core: Core, { hook, itemId, outcome }: HookRan): Core {
  const { hooks: moments = [] } = core
  const isIts = ({ name, source }: HooksStarted['hooks'][number]) => name === hook.name && source === hook.source
  const at = moments.findIndex((one) => isSameMoment(one, { on: hook.on, ...about(itemId) }) && one.hooks.some(isIts))
  const moment = moments[at]
  if (moment === undefined) return core
  const isLast = outcome === 'stopped' || outcome === 'interrupted'
  const left = isLast ? [] : moment.hooks.toSpliced(moment.hooks.findIndex(isIts), 1)
  const rest = left.length === 0 ? moments.toSpliced(at, 1) : moments.with(at, { ...moment, hooks: left })
  const isBegun = hook.on === 'SessionStart' && left.length === 0 && outcome !== 'interrupted'
  return withHooks(isBegun ? { ...core, begun: true } : core, rest)
}

function about(itemId: ItemId | undefined) {
  return itemId === undefined ? {} : { itemId }
}

/** Keeps which hooks have ended about a question that waits. One that denies it is left out: its answer follows. */
function noteAskedHook(core: Core, { hook, itemId, outcome }: HookRan): Core {
  const open = itemId === undefined ? undefined : valueAt(core.open, itemId)
  if (itemId === undefined || open === undefined || outcome === 'stopped' || outcome === 'interrupted') return core
  return { ...core, open: { ...core.open, [itemId]: { ...open, askedHooks: [...(open.askedHooks ?? []), hook] } } }
}

/** Keeps with the turn which hook it waits for. */
export function reduceRunningHook(core: Core, event: EventOf<'hook.running'>, { at }: Pick<Envelope, 'at'>): Core {
  const { hook, turnId, itemId, durationMs } = event
  const { turn } = core
  if (turn === null || turn.id !== turnId) return core
  return { ...core, turn: { ...turn, hook: { ...hook, ...about(itemId), startedAt: at - durationMs } } }
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
  const ended = endInMoment(core, event)
  const known = ended.turn === null ? ended : { ...ended, turn: changeTurn(ended.turn, event) }
  if (hook.on === 'PermissionRequest') return noteAskedHook(known, event)
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
