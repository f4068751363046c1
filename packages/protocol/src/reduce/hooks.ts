import type { Envelope, EventOf } from '../schema/event.ts'
import type { ItemId } from '../schema/ids.ts'
import type { ConversationCore, HooksSaid, HooksStarted, OpenItem, Turn } from '../schema/state.ts'
import { valueAt } from './approvals.ts'

type HookRan = EventOf<'hook.ran'>

/** Moments that may be open several times at once, since the conversation does not wait for their hooks. */
const toldOnly: ReadonlySet<HooksStarted['on']> = new Set(['PermissionDecision', 'Notification', 'SessionEnd'])

/** Adds the hooks of a moment until they have ended; hooks that run again replace the interrupted ones. */
export function reduceStartedHooks(
  core: ConversationCore,
  { type: _, ...moment }: EventOf<'hooks.started'>,
): ConversationCore {
  const known = core.hooks ?? []
  const others = toldOnly.has(moment.on) ? known : known.filter((one) => !isSameMoment(one, moment))
  return withHooks(core, [...others, moment])
}

function isSameMoment(one: Pick<HooksStarted, 'on' | 'itemId'>, other: Pick<HooksStarted, 'on' | 'itemId'>): boolean {
  return one.on === other.on && one.itemId === other.itemId
}

/** Returns the state with these moments; an empty list removes the key. */
function withHooks({ hooks: _, ...core }: ConversationCore, moments: readonly HooksStarted[]): ConversationCore {
  return moments.length === 0 ? core : { ...core, hooks: [...moments] }
}

/** Returns the state without the moments before an ended call and before the question about it. */
export function withoutMomentsOf(core: ConversationCore, itemId: ItemId): ConversationCore {
  return withoutMoments(
    core,
    (one) => one.itemId === itemId && (one.on === 'PreToolUse' || one.on === 'PermissionRequest'),
  )
}

/** Returns the state without the moments of an ended turn. */
export function withoutMomentsIn(core: ConversationCore, turnId: Turn['id']): ConversationCore {
  return withoutMoments(core, (one) => one.turnId === turnId)
}

function withoutMoments(core: ConversationCore, isOver: (one: HooksStarted) => boolean): ConversationCore {
  const left = core.hooks?.filter((one) => !isOver(one))
  return left === undefined ? core : withHooks(core, left)
}

/** Removes an ended hook from its moment, which ends with its last hook, or with one that stops or is interrupted. */
function endInMoment(core: ConversationCore, { hook, itemId, outcome }: HookRan): ConversationCore {
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

/** Records the hooks that ended about a waiting question. A hook that denies is left out: its answer follows. */
function noteAskedHook(core: ConversationCore, { hook, itemId, outcome }: HookRan): ConversationCore {
  const open = itemId === undefined ? undefined : valueAt(core.open, itemId)
  if (itemId === undefined || open === undefined || outcome === 'stopped' || outcome === 'interrupted') return core
  return { ...core, open: { ...core.open, [itemId]: { ...open, askedHooks: [...(open.askedHooks ?? []), hook] } } }
}

/** Records the hook that the turn waits for. */
export function reduceRunningHook(
  core: ConversationCore,
  event: EventOf<'hook.running'>,
  { at }: Pick<Envelope, 'at'>,
): ConversationCore {
  const { hook, turnId, itemId, durationMs } = event
  const { turn } = core
  if (turn === null || turn.id !== turnId) return core
  return { ...core, turn: { ...turn, hook: { ...hook, ...about(itemId), startedAt: at - durationMs } } }
}

/** Returns the turn without its waiting hook, if the hook runs for this call. */
export function withoutHookOf(turn: ConversationCore['turn'], itemId: ItemId): ConversationCore['turn'] {
  return turn?.hook?.itemId === itemId ? withoutHook(turn) : turn
}

function withoutHook({ hook: _, ...turn }: Turn): Turn {
  return turn
}

/** Records the results of hooks before a call with its open item, and continues a turn that a hook does not let end. */
export function reduceHook(core: ConversationCore, event: HookRan): ConversationCore {
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

function changeCall(core: ConversationCore, itemId: OpenItem['item']['id'], event: HookRan): ConversationCore {
  const open = valueAt(core.open, itemId)
  if (open === undefined) return core
  const { rewritten } = event
  const item = rewritten === undefined ? open.item : rewritten.item
  return { ...core, open: { ...core.open, [itemId]: { ...open, item, hooks: saidWith(open.hooks, event) } } }
}

/** Outcomes from the mildest to the strictest; the other outcomes count as `passed`. */
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
