import {
  type ConversationCore,
  type ConversationState,
  type Failure,
  type ItemId,
  type ItemOf,
  isCall,
  type MessageCall,
  type OpenItem,
  type QueuedMessage,
  type TurnBudget,
  unansweredApprovals,
} from '@parley/protocol'
import { type ReachedLimit, reachedLimit } from './turn-ends/conversation-limits.ts'
import { usedUp } from './turn-ends/turn-budget.ts'
import { areChecksDue, deniedCheck, failedChecks, mendsChecks } from './turn-ends/turn-checks.ts'
import { isUserChange } from './view/view-blocks.ts'

export type TurnStep =
  | { kind: 'await' }
  | { kind: 'startTurn'; message: QueuedMessage }
  | { kind: 'callModel'; steering: readonly QueuedMessage[] }
  /** Makes the calls of the turn's messages, as if the model had asked for them. */
  | { kind: 'makeCalls'; calls: readonly MessageCall[] }
  | { kind: 'runCalls'; itemIds: readonly ItemId[] }
  /** Has the checks run before the turn ends. */
  | { kind: 'beginChecks' }
  /** Compacts the model's view: `item` was asked for; null when the window is almost full. */
  | { kind: 'compact'; item: ItemOf<'contextCompaction'> | null }
  /** Asks the user before a limit of the conversation is passed. */
  | { kind: 'askLimit'; reached: ReachedLimit }
  | { kind: 'endTurn' }
  | { kind: 'failTurn'; failure: Failure }

const wait: TurnStep = { kind: 'await' }

/**
 * Returns the next step from the state alone, so that a restart runs the same loop. Look-ups run together, effects one
 * by one, in the model's order. `isFull`: the next request would fill the window.
 */
export function nextStep(
  { core }: ConversationState,
  isFull: () => boolean = () => false,
  limits: TurnBudget = {},
): TurnStep {
  const { turn } = core
  if (turn === null) return stepWhenIdle(core)
  if (turn.parked) return wait
  if (turn.stoppedBy !== undefined)
    return { kind: 'failTurn', failure: { code: 'stoppedByHook', message: turn.stoppedBy } }
  const denied = deniedCheck(turn)
  if (denied !== null) return { kind: 'failTurn', failure: denied }
  const calls =
    turn.phase === 'calls' ? Object.values(core.open).filter(({ item }) => isCall(item) && !isUserChange(item)) : []
  if (calls.length > 0) return stepForCalls(calls, core)
  if (turn.toMake !== undefined) return { kind: 'makeCalls', calls: turn.toMake }
  const asked = openCompaction(core)
  if (asked !== null) return { kind: 'compact', item: asked }
  if (!asksModel(core)) return stepAtEnd(turn)
  const failure = usedUp(turn)
  if (failure !== null) return { kind: 'failTurn', failure }
  const reached = reachedLimit(core, limits)
  if (reached !== null) return { kind: 'askLimit', reached }
  return isFull() ? { kind: 'compact', item: null } : callModel(core)
}

/** Tells if the turn has more to ask the model; one that only compacts has not, unless a message came meanwhile. */
function asksModel(core: ConversationCore): boolean {
  const { turn } = core
  if (turn === null) return false
  if (steeringOf(core).length > 0 || turn.goesOn === true) return true
  const mends = mendsChecks(turn)
  if (mends !== null) return mends
  return turn.phase === 'calls'
    ? turn.calls > 0 || turn.paused !== undefined
    : turn.trigger !== 'compaction' || turn.phase !== 'start'
}

/** Returns the step after the last answer: the checks, unless they have run since. */
function stepAtEnd(turn: NonNullable<ConversationCore['turn']>): TurnStep {
  const failure = failedChecks(turn)
  if (failure !== null) return { kind: 'failTurn', failure }
  return areChecksDue(turn) ? { kind: 'beginChecks' } : { kind: 'endTurn' }
}

function openCompaction(core: ConversationCore): ItemOf<'contextCompaction'> | null {
  for (const { item } of Object.values(core.open)) if (item.type === 'contextCompaction') return item
  return null
}

function stepWhenIdle(core: ConversationCore): TurnStep {
  const [message] = core.inbox
  return message === undefined || core.inboxPaused ? wait : { kind: 'startTurn', message }
}

function callModel(core: ConversationCore): TurnStep {
  return { kind: 'callModel', steering: steeringOf(core) }
}

function steeringOf(core: ConversationCore): readonly QueuedMessage[] {
  return core.inboxPaused ? [] : core.inbox.filter((message) => message.when === 'steer')
}

function stepForCalls(calls: readonly OpenItem[], core: ConversationCore): TurnStep {
  const waiting = new Set(unansweredApprovals(core).map(({ itemId }) => itemId))
  const group = leadingGroup(calls)
  const ready = group.filter(({ item }) => !waiting.has(item.id)).map(({ item }) => item.id)
  return ready.length > 0 ? { kind: 'runCalls', itemIds: ready } : wait
}

/** Returns the look-ups before the first effect, or that effect alone. */
function leadingGroup(calls: readonly OpenItem[]): readonly OpenItem[] {
  const firstEffect = calls.findIndex(({ item }) => !isLookUp(item))
  if (firstEffect === 0) return calls.slice(0, 1)
  return firstEffect < 0 ? calls : calls.slice(0, firstEffect)
}

function isLookUp(item: OpenItem['item']): boolean {
  return 'readOnly' in item && item.readOnly === true
}
