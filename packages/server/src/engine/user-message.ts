import type { Actor, ContentItem, InputItem, ItemOf } from '@parley/protocol'
import { formatBytes } from '@parley/workspace'
import { rejection } from './refusal.ts'

/** Bytes of all texts of a message; each is held in memory, and goes with every model request. */
const maxMessageBytes = 16 * 1024 * 1024

/** Refuses a message with more text than is kept. */
export function assertFits(content: readonly InputItem[]): void {
  const sizeBytes = content.reduce((sum, part) => sum + (part.type === 'text' ? Buffer.byteLength(part.text) : 0), 0)
  if (sizeBytes <= maxMessageBytes) return
  throw rejection(
    'invalidParams',
    `A message may have ${formatBytes(maxMessageBytes)} of text, this one has ${sizeBytes - maxMessageBytes} bytes more. Put the text into a file and name that.`,
    {
      field: 'input',
      limitBytes: maxMessageBytes,
    },
  )
}

export function userMessageItem(
  id: string,
  message: { readonly content: ContentItem[]; readonly messageId: string; readonly by: Actor },
): ItemOf<'userMessage'> {
  const { content, messageId, by } = message
  const text = content.map(shownPart).join('\n')
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

function shownPart(part: ContentItem): string {
  if (part.type === 'image') return `[${part.name}]`
  const { text, file, totalBytes = 0 } = part
  return file === undefined ? text : `${text}\n… (its beginning; the model gets all ${formatBytes(totalBytes)})`
}
