import type { ConversationState, ItemId, RequestKey, TurnId } from '@parley/protocol'
import { rejection } from '../../replies/rejection.ts'

/** First result of a request that started an item. */
interface Started {
  readonly itemId: ItemId
  readonly turnId: TurnId | null
  readonly seq: number
}

/**
 * Returns what the same request of a client started before; null for a new key and for none. Throws `invalidParams` for
 * a key that a message has.
 */
export function startedBefore({ core }: ConversationState, requestKey: RequestKey | undefined): Started | null {
  const known = requestKey === undefined ? undefined : core.requestKeys.find(({ key }) => key === requestKey)
  if (known === undefined) return null
  const { itemId, turnId, seq } = known
  if (itemId !== undefined) return { itemId, turnId, seq }
  throw rejection('invalidParams', 'This key was the `messageId` of a message. Use a new one for each request.', {
    field: 'requestKey',
  })
}
