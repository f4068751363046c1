import { type Facts, storedFacts } from '@parley/policy'
import { type CallItem, type ConversationEvent, type ItemId, isCall } from '@parley/protocol'
import { itemIdOf } from './compare-events.ts'
import type { LogPosition } from './read-recording.ts'

/** Returns the reason why a call did not reach its environment; null for other events. */
export function unreachableIn(event: ConversationEvent): { readonly unreachable: string } | null {
  if (event.type !== 'item.completed' || !isCall(event.item)) return null
  const { failure, notRun } = event.item
  return failure?.code === 'environmentUnreachable' && notRun === true ? { unreachable: failure.message } : null
}

type RecordedFacts = { readonly facts: Facts } | { readonly unreachable: string }

/**
 * Returns the facts of a call from the first event that has them, at or after a position. When the process ended before it
 * wrote them again, earlier ones count. Null without any.
 */
export function factsOf({ events, at }: LogPosition, itemId: ItemId): RecordedFacts | null {
  for (let index = at; index < events.length; index++) {
    const found = factsIn(events[index]?.event, itemId)
    if (found !== null) return found
  }
  for (let index = Math.min(at, events.length) - 1; index >= 0; index--) {
    const found = factsIn(events[index]?.event, itemId)
    if (found !== null) return found
  }
  return null
}

function factsIn(event: ConversationEvent | undefined, itemId: ItemId): RecordedFacts | null {
  if (event === undefined || itemIdOf(event) !== itemId) return null
  const unreachable = unreachableIn(event)
  if (unreachable !== null) return unreachable
  const facts = storedFacts(event.type === 'approval.requested' ? event.approval.facts : itemOf(event)?.facts)
  return facts === null ? null : { facts }
}

/** Returns the outcome of a call in an event; null for other events. */
export function itemOf(event: ConversationEvent): CallItem | null {
  if (event.type !== 'item.completed' && event.type !== 'execution.failed') return null
  return isCall(event.item) ? event.item : null
}
