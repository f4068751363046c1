import type { ConversationState, ItemId, RequestKey, TurnId } from '@parley/protocol'
import type { RpcError } from '@parley/rpc'
import { invalidParam } from '../replies/rejection.ts'

/** First result of a request that started an item. */
interface Started {
  readonly itemId: ItemId
  readonly turnId: TurnId | null
  readonly seq: number
}

/**
 * Returns the result of an earlier request with the same key; null for a new key or without a key. Throws
 * `invalidParams` for a key of another kind of request.
 */
export function startedBefore({ core }: ConversationState, requestKey: RequestKey | undefined): Started | null {
  const known = firstWith(core, requestKey)
  if (known === undefined) return null
  const { itemId, turnId, seq } = known
  if (itemId !== undefined) return { itemId, turnId, seq }
  throw otherRequest()
}

/** Returns whether the same request has continued the conversation before. Throws as `startedBefore` does. */
export function continuedBefore({ core }: ConversationState, requestKey: RequestKey | undefined): boolean {
  const known = firstWith(core, requestKey)
  if (known === undefined || known.disposition === 'continued') return known !== undefined
  throw otherRequest()
}

function firstWith({ requestKeys }: ConversationState['core'], requestKey: RequestKey | undefined) {
  return requestKey === undefined ? undefined : requestKeys.find(({ key }) => key === requestKey)
}

function otherRequest(): RpcError {
  const text = 'This key was that of a message or of another kind of request. Use a new one for each request.'
  return invalidParam('requestKey', text)
}
