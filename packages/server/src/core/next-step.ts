import {
  type ConversationState,
  type Failure,
  type ItemId,
  isCall,
  type OpenItem,
  type QueuedMessage,
} from '@parley/protocol'

import { usedUp } from './turn-budget.ts'

export type Step =
  | { kind: 'await' }
  | { kind: 'startTurn'; message: QueuedMessage }
  | { kind: 'callModel'; steering: readonly QueuedMessage[] }
  | { kind: 'runCalls'; itemIds: readonly ItemId[] }
  | { kind: 'endTurn' }
  | { kind: 'failTurn'; failure: Failure }

const wait: Step = { kind: 'await' }

/**
 * Returns the next step from the state alone, so that a restart runs the same loop. Look-ups run together; an effect
 * runs alone, in the model's order; a pending approval blocks everything after it.
 */
export function nextStep({ core }: ConversationState): Step {
  const { turn } = core
  if (turn === null) return stepWhenIdle(core)
  if (turn.parked) return wait
  if (turn.phase !== 'calls') return callModel(core)
  const calls = Object.values(core.open).filter((open) => isCall(open.item))
  if (calls.length > 0) return stepForCalls(calls, core)
  return turn.calls > 0 || steeringOf(core).length > 0 ? callModel(core) : { kind: 'endTurn' }
}

type Core = ConversationState['core']

function stepWhenIdle(core: Core): Step {
  const [message] = core.inbox
  return message === undefined || core.inboxPaused ? wait : { kind: 'startTurn', message }
}

function callModel(core: Core): Step {
  const failure = core.turn === null ? null : usedUp(core.turn)
  if (failure !== null) return { kind: 'failTurn', failure }
  return { kind: 'callModel', steering: steeringOf(core) }
}

function steeringOf(core: Core): readonly QueuedMessage[] {
  return core.inboxPaused ? [] : core.inbox.filter((message) => message.when === 'steer')
}

function stepForCalls(calls: readonly OpenItem[], core: Core): Step {
  const waiting = new Set(
    Object.values(core.approvals).flatMap((approval) => (approval.state === 'pending' ? [approval.itemId] : [])),
  )
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
