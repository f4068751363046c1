import type { ContentItem, ConversationEvent } from '@parley/protocol'

/** What a user entered, as the server has recorded it; null for any other event. */
export function recordedPrompt(event: ConversationEvent): string | null {
  if (event.type === 'message.queued') return textOf(event.message.content)
  if (event.type !== 'item.started' && event.type !== 'item.completed') return null
  const { item } = event
  if (item.type === 'shellCommand') return `!${item.command}`
  return item.type === 'userMessage' ? textOf(item.content) : null
}

/** An image stands beside the text. */
function textOf(content: readonly ContentItem[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
