import { createHash } from 'node:crypto'
import type { ConversationId } from '@parley/protocol'

/** A connection that was lost. */
interface Lost {
  readonly address: string
  /** Conversation that the client follows; undefined for none. */
  readonly conversationId: ConversationId | undefined
}

/**
 * Returns the servers to try after one was lost, which is the last of them. Each conversation has its own order of the
 * others: those of a dead server spread, and all windows of one meet. Without one, those behind it in the list come first.
 */
export function serversAfter(addresses: readonly string[], { address, conversationId }: Lost): readonly string[] {
  const at = addresses.indexOf(address)
  const others = [...addresses.slice(at + 1), ...addresses.slice(0, Math.max(0, at))]
  const lost = at === -1 ? [] : [address]
  if (conversationId === undefined) return [...others, ...lost]
  const drawn = new Map(others.map((other) => [other, drawOf(conversationId, other)]))
  return [...others.toSorted((one, other) => ((drawn.get(one) ?? '') < (drawn.get(other) ?? '') ? -1 : 1)), ...lost]
}

function drawOf(conversationId: ConversationId, address: string): string {
  return createHash('sha256').update(`${conversationId} ${address}`).digest('hex')
}
