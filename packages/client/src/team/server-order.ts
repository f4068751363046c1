import { createHash } from 'node:crypto'
import type { ConversationId } from '@parley/protocol'

/**
 * Returns the servers to try after a loss, the lost one last. Each conversation has its own order of the others:
 * conversations of a dead server spread, and all windows of one conversation meet. Without a conversation, the next
 * servers in the list come first.
 */
export function serversAfter(
  addresses: readonly string[],
  { address, conversationId }: { readonly address: string; readonly conversationId: ConversationId | undefined },
): readonly string[] {
  const at = addresses.indexOf(address)
  const others = [...addresses.slice(at + 1), ...addresses.slice(0, Math.max(0, at))]
  const lost = at === -1 ? [] : [address]
  if (conversationId === undefined) return [...others, ...lost]
  const drawn = new Map(others.map((other) => [other, rankOf(conversationId, other)]))
  return [...others.toSorted((one, other) => ((drawn.get(one) ?? '') < (drawn.get(other) ?? '') ? -1 : 1)), ...lost]
}

function rankOf(conversationId: ConversationId, address: string): string {
  return createHash('sha256').update(`${conversationId} ${address}`).digest('hex')
}
