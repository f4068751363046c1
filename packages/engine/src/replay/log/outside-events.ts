import { type ConversationEvent, type ConversationState, type EventOf, type Item, isCall } from '@parley/protocol'
import { aboutBackground } from '../../core/view/background-left.ts'
import { isUserChange } from '../../core/view/view-blocks.ts'
import type { AbortReason } from '../../tools/contract/tool.ts'
import type { RecordedEvent } from './read-recording.ts'
import { factsOf } from './recorded-calls.ts'

/** Events that the engine makes, unless the place says otherwise; all others come from outside at any moment. */
const engineMade: ReadonlySet<string> = new Set([
  'conversation.created',
  'context.set',
  'message.consumed',
  'turn.started',
  'turn.ended',
  'model.requested',
  'model.responded',
  'item.started',
  'execution.started',
  'execution.failed',
  'item.completed',
  'item.discarded',
  'approval.requested',
  'usage.updated',
  'retry.scheduled',
  'model.fellBack',
])

/** Failures of turns that have their cause outside the log: a defect, a limit of the configuration, the disk. */
const outsideFailures: ReadonlySet<string> = new Set(['internal', 'eventTooLarge', 'maxTurns', 'maxTokens', 'maxCost'])

/** Notices that the turn loop writes in the middle of a turn. */
const loopNotices: ReadonlySet<string> = new Set(['modelFallback', 'outputLimit', 'filtered', 'context'])

/** Notices about runs of hooks, which a replay does not start. */
const hookNotices: ReadonlySet<string> = new Set(['hookFailed', 'hookMessage', 'hookContext'])

/** Log with the place where it became one of its own. */
export interface GivenLog {
  readonly events: readonly RecordedEvent[]
  readonly forkedAt: number
}

/** Returns the number of events from `start` on that are taken from the log as they are, since they come from outside. */
export function givenEventsAt(log: GivenLog, start: number, state: ConversationState): number {
  const { events } = log
  const settled = isTakenUp(log, start) ? settlingFrom(events, start) : 0
  if (settled > 0) return settled
  let end = start
  let turn: EventOf<'turn.started'> | null = null
  for (; end < events.length && (end === start || !isTakenUp(log, end)); end++) {
    const event = events[end]?.event
    const compacts = turn?.trigger === 'compaction'
    // Another process goes on with a turn that was parked.
    if (end > start && events[end - 1]?.event.type === 'turn.parked') break
    // The engine has begun with the turn when anything further comes; one that only compacts is given whole.
    if (turn !== null && !compacts && !startOfTurn.has(event?.type ?? '')) break
    if (!isGiven(events, end, { start, state, forkedAt: log.forkedAt, compacts })) break
    if (event?.type === 'turn.started') turn = event
  }
  return end - start
}

/**
 * Returns how many of the given events come before one that came too late to change the next step: the engine had chosen
 * to ask the model, and asks it right after these events.
 */
export function givenInTime({ events }: GivenLog, start: number, count: number): number {
  const after = events[start + count]?.event.type
  if (after !== 'model.requested' && after !== 'context.set') return count
  const given = events.slice(start, start + count)
  const ended = new Set(given.flatMap(({ event }) => (event.type === 'item.completed' ? [event.item.id] : [])))
  const late = given.findIndex(({ event }) => changesStep(event, ended))
  return late < 0 ? count : late
}

/** Tells if an event has the engine do something else before it asks the model. */
function changesStep(event: ConversationEvent, ended: ReadonlySet<string>): boolean {
  if (event.type === 'message.queued') return event.message.when === 'steer'
  return event.type === 'item.started' && event.item.type === 'contextCompaction' && !ended.has(event.item.id)
}

/** Events in the write that starts a turn. */
const startOfTurn: ReadonlySet<string> = new Set(['item.completed', 'message.consumed'])

/** Tells if another process goes on from here: after a crash, or in a fork. */
export function isTakenUp({ events, forkedAt }: GivenLog, at: number): boolean {
  const recorded = events[at]
  if (recorded === undefined) return false
  if (recorded.event.type === 'conversation.recovered') return true
  const before = events[at - 1]
  return forkedAt > 0 && before !== undefined && before.seq <= forkedAt && recorded.seq > forkedAt
}

/** Returns the first index after `at` where an engine can begin by the state alone, or the end of the log. */
export function startAfter(log: GivenLog, at: number): number {
  const { events } = log
  const found = events.findIndex(({ event }, index) => index > at && (isTakenUp(log, index) || isStart(event)))
  return found < 0 ? events.length : found
}

/** Further attempts of a request follow from failures, which only the engine of then knew. */
function isStart(event: ConversationEvent): boolean {
  return event.type === 'turn.started' || (event.type === 'model.requested' && event.attempt === 1)
}

/** Events that settle the open work of an earlier process, besides changes of the conversation itself. */
const settling: ReadonlySet<string> = new Set([
  'approval.decided',
  'hook.ran',
  'hooks.started',
  'item.completed',
  'item.discarded',
  'message.removed',
  'turn.ended',
  'turn.parked',
])

/** Returns the length of the write that settles open work; 0 for another write. */
function settlingFrom(events: readonly RecordedEvent[], start: number): number {
  const first = events[start]
  let end = start + 1
  while (events[end]?.at === first?.at && isSettling(events[end]?.event)) end++
  return isSettling(first?.event) ? end - start : 0
}

function isSettling(event: ConversationEvent | undefined): boolean {
  return event !== undefined && (settling.has(event.type) || event.type.startsWith('conversation.'))
}

interface GivenRun {
  /** First of the events that are given together. */
  readonly start: number
  readonly forkedAt: number
  readonly state: ConversationState
  /** True in a turn that only compacts, and began with these events. */
  readonly compacts: boolean
}

function isGiven(events: readonly RecordedEvent[], at: number, place: GivenRun): boolean {
  const event = events[at]?.event
  if (event === undefined) return false
  if (!engineMade.has(event.type)) return true
  if (endsByOutside({ events, forkedAt: place.forkedAt }, at)) return true
  const before = at > place.start ? events[at - 1]?.event : undefined
  switch (event.type) {
    case 'turn.started':
      return event.trigger !== 'inbox' || place.state.core.inboxPaused
    case 'message.consumed':
      return before?.type === 'item.completed'
    case 'execution.started':
      return factsOf({ events, at }, event.itemId) === null
    case 'approval.requested':
      return event.approval.kind === 'elicitation'
    case 'usage.updated':
      return event.purpose === 'compaction'
    case 'retry.scheduled':
      return (
        place.compacts || Object.values(place.state.core.open).some(({ item }) => item.type === 'contextCompaction')
      )
    case 'item.started':
      return isGivenStart(event.item, place)
    case 'item.completed':
      return isGivenEnd(events, at, { item: event.item, before, state: place.state })
    default:
      return false
  }
}

/** Types of the items of turns. */
const ofTurns: ReadonlySet<string> = new Set([
  'userMessage',
  'agentMessage',
  'reasoning',
  'commandExecution',
  'fileChange',
  'toolCall',
  'contextCompaction',
  'notice',
])

/** Returns false for what users do by themselves, files that they change included. */
function isOfTurn(item: Item): boolean {
  return ofTurns.has(item.type) && !isUserChange(item)
}

/** The engine starts a compaction by itself only after the provider found a request too long. */
function isGivenStart(item: Item, { state }: GivenRun): boolean {
  if (!isOfTurn(item)) return true
  if (item.type !== 'contextCompaction') return false
  return item.trigger !== 'contextTooLong' || state.core.open[item.id] !== undefined
}

interface GivenEnd {
  readonly item: Item
  /** Event before it, if that is given with it. */
  readonly before: ConversationEvent | undefined
  readonly state: ConversationState
}

function isGivenEnd(events: readonly RecordedEvent[], at: number, { item, before, state }: GivenEnd): boolean {
  if (!isOfTurn(item)) return true
  if (item.type === 'contextCompaction') return item.status !== 'interrupted'
  if (item.type === 'userMessage') return before?.type === 'turn.started'
  // The answer itself ends a call that it denies.
  if (isCall(item))
    return before?.type === 'approval.decided' && state.core.approvals[before.approvalId]?.itemId === item.id
  if (item.type !== 'notice') return false
  if (aboutBackground.has(item.code) || hookNotices.has(item.code)) return true
  const next = events[at + 1]?.event
  if (next?.type === 'turn.ended') return false
  return !loopNotices.has(item.code)
}

/** Tells if the turn ends here for a cause outside the log. */
function endsByOutside(log: GivenLog, at: number): boolean {
  const end = turnEndAfter(log, at)
  return end?.event.type === 'turn.ended' && outsideFailures.has(end.event.failure?.code ?? '')
}

/** Returns the end of a turn after `at` when only closed items come before it; else null. */
export function turnEndAfter(log: GivenLog, at: number): RecordedEvent | null {
  const { events } = log
  let index = at
  while (events[index]?.event.type === 'item.completed' && !isTakenUp(log, index)) index++
  const next = events[index]
  return next?.event.type === 'turn.ended' && !isTakenUp(log, index) ? next : null
}

/** Returns how the turn is stopped from outside at `at`, which the log shows by its end alone; null where it is not. */
export function stopAt(log: GivenLog, at: number): AbortReason | null {
  const end = turnEndAfter(log, at)
  if (end?.event.type !== 'turn.ended' || end.event.outcome !== 'interrupted') return null
  const notice = log.events[log.events.indexOf(end) - 1]?.event
  if (notice?.type !== 'item.completed' || notice.item.type !== 'notice') return 'interrupted'
  const { code, why } = notice.item
  if (code === 'shutdown') return 'shutdown'
  return why === undefined ? 'interrupted' : { why }
}
