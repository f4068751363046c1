import type { Client } from '@parley/client/browser'
import { inputText } from '@parley/presentation/items/item-words'
import { type PointReads, pointBefore } from '@parley/presentation/rewind/point-before'
import type { CompletedItem, ConversationId, samePlace } from '@parley/protocol'
import { fragmentOf } from '../../link/page-secret.ts'
import { keepDraft } from '../composer/drafts.ts'

export function goTo(conversationId: ConversationId): void {
  location.hash = fragmentOf(conversationId)
}

interface Going {
  readonly conversationId: ConversationId
  /** Place of a new conversation. */
  readonly place: ReturnType<typeof samePlace>
  /** True to have the model summarise the part that the copy leaves out. */
  readonly summary: boolean
}

/** Shows a copy of a conversation up to before a message, with its text to change; before the first, a new one. */
export async function goOnBefore(
  client: Client,
  { conversationId, place, summary }: Going,
  message: CompletedItem,
): Promise<void> {
  const at = await pointBefore(readsOf(client, conversationId), message)
  const copy =
    at === null
      ? await client.request('conversation/create', place)
      : await client.request('conversation/fork', { conversationId, at, ...(summary ? { summary } : {}) })
  if (message.item.type === 'userMessage') keepDraft(copy.conversationId, inputText(message.item.content))
  goTo(copy.conversationId)
}

/** Returns the requests that find a point of a conversation. */
export function readsOf(client: Client, conversationId: ConversationId): PointReads {
  return {
    read: (page) => client.request('conversation/read', { conversationId, ...page }),
    readEvents: (range) => client.request('conversation/readEvents', { conversationId, ...range }),
  }
}
