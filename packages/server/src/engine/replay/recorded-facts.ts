import { type Facts, storedFacts } from '@parley/policy'
import { type CallItem, type ConversationEvent, type ItemId, isCall } from '@parley/protocol'
import { itemIdOf } from './compare-events.ts'
import { eventsFrom, type RecordedEvent } from './read-recording.ts'

interface Place {
  readonly events: readonly RecordedEvent[]
  readonly at: number
}

/** Returns what kept a call from its environment; null for other events. */
export function unreachableIn(event: ConversationEvent): { readonly unreachable: string } | null {
  if (event.type !== 'item.completed' || !isCall(event.item)) return null
  const { failure, modelText = '' } = event.item
  if (failure?.code !== 'environmentUnreachable' || !modelText.startsWith('Not run: ')) return null
  return { unreachable: failure.message }
}

/** Returns the facts that the log has of a call, from its place on; null for none. */
export function factsOf(
  place: Place,
  itemId: ItemId,
): { readonly facts: Facts } | { readonly unreachable: string } | null {
  for (const event of eventsFrom(place)) {
    if (itemIdOf(event) !== itemId) continue
    const unreachable = unreachableIn(event)
    if (unreachable !== null) return unreachable
    const stored = event.type === 'approval.requested' ? event.approval.facts : itemOf(event)?.facts
    const facts = storedFacts(stored)
    if (facts !== null) return { facts }
  }
  return null
}

/** Tells if the log has the facts of a call; it has none of a call whose process ended before it. */
export function hasFacts(events: readonly RecordedEvent[], itemId: ItemId): boolean {
  return factsOf({ events, at: 0 }, itemId) !== null
}

/** Returns the outcome of a call in an event; null for other events. */
export function itemOf(event: ConversationEvent): CallItem | null {
  if (event.type !== 'item.completed' && event.type !== 'execution.failed') return null
  return isCall(event.item) ? event.item : null
}
