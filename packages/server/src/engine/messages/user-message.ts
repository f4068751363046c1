import type {
  Actor,
  ContentItem,
  ConversationEvent,
  InputItem,
  ItemId,
  ItemOf,
  MessageId,
  TurnId,
} from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { formatBytes } from '@parley/workspace'
import type { Ids } from '../../ports/ids.ts'
import { noticeItem } from '../conversation/notices.ts'
import { rejection } from '../replies/rejection.ts'

/** Bytes of all texts of a message; each stays in memory and is sent with every model request. */
const maxMessageBytes = 16 * 1024 * 1024

/** Throws `invalidParams` for a message with too much text. */
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
  id: ItemId,
  message: { readonly content: ContentItem[]; readonly messageId: MessageId; readonly by: Actor },
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

const title = 'A secret in your message was replaced by a mark: it was neither sent to the model nor stored.'
const text =
  'What runs here can still use it: leave it in a file or in the environment, and say where it is instead of what it is.'

interface NoticePorts {
  readonly redaction: Redaction
  readonly ids: Pick<Ids, 'item'>
  readonly memory: { isFirstNotice(code: string): boolean }
}

/** Returns the notice that follows a message with a secret, once per session: its sender knows and may send more. */
export function secretNotice(
  { redaction, ids, memory }: NoticePorts,
  content: readonly InputItem[],
  turnId: TurnId | null,
): ConversationEvent[] {
  const hasSecret = content.some((part) => part.type === 'text' && redaction.hasSecret(part.text))
  if (!hasSecret || !memory.isFirstNotice('secretInMessage')) return []
  const item = noticeItem(ids.item(), { level: 'info', code: 'secretInMessage', title, text })
  return [{ type: 'item.completed', ...(turnId === null ? {} : { turnId }), item }]
}
