import type { Actor, ContentItem, InputItem, ItemOf } from '@parley/protocol'
import { refusal } from './refusal.ts'

/** Characters; a message is logged with its text, and sent to every client, in one line. */
const maxMessageLength = 4 * 1024 * 1024

/** Refuses what would make a line too long for its readers. */
export function assertFits(content: readonly InputItem[]): void {
  const length = content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  if (length <= maxMessageLength) return
  throw refusal(
    'invalidParams',
    `A message may have ${maxMessageLength} characters, this one has ${length}. Put the text into a file and name that.`,
    {
      field: 'input',
    },
  )
}

export function userMessageItem(
  id: string,
  message: { readonly content: ContentItem[]; readonly messageId: string; readonly by: Actor },
): ItemOf<'userMessage'> {
  const { content, messageId, by } = message
  const text = content.map((part) => (part.type === 'text' ? part.text : `[${part.name}]`)).join('\n')
  return {
    id,
    type: 'userMessage',
    status: 'completed',
    title: text.split('\n', 1)[0] ?? '',
    text,
    content,
    messageId,
    by,
  }
}
