import type { ContentItem, QueuedMessage } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { firstBytes } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'
import type { SideFiles } from '../conversation/side-files.ts'
import { rejection } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'

/**
 * JSON bytes of the parts of one message. Its log line holds them up to three times, a snapshot those of many messages.
 */
const inlineBytes = 1024 * 1024
/** JSON bytes up to which a text stays in the line, whatever the size of the others. */
const shortTextBytes = 16 * 1024
const beginningBytes = 2048

type TextPart = Extract<ContentItem, { type: 'text' }>

/** Tells if the parts of a message fit in its log line. */
export function fitsInline(content: readonly ContentItem[]): boolean {
  return jsonBytes(content) <= inlineBytes
}

/**
 * Moves long texts to side files when the content is too large for a line; `text` keeps the beginning. Throws
 * `invalidParams` for too many parts.
 */
export async function keepLongTexts(
  content: readonly ContentItem[],
  { sideFiles, redact }: { readonly sideFiles: SideFiles; readonly redact: (text: string) => string },
): Promise<ContentItem[]> {
  if (fitsInline(content)) return [...content]
  for (const [index, part] of content.entries()) assertWholeCharacters(part, `input[${index}].text`)
  const kept: ContentItem[] = []
  for (const part of content) kept.push(isLong(part) ? await keepText(redact(part.text), sideFiles) : part)
  if (fitsInline(kept)) return kept
  const message = `A message of ${content.length} parts is too large for the log. Join its texts, or send fewer parts.`
  throw rejection('invalidParams', message, { field: 'input' })
}

function isLong(part: ContentItem): part is TextPart {
  return part.type === 'text' && part.file === undefined && jsonBytes(part.text) > shortTextBytes
}

async function keepText(text: string, sideFiles: SideFiles): Promise<TextPart> {
  const file = await sideFiles.put(text)
  return { type: 'text', text: firstBytes(text, beginningBytes), file, totalBytes: Buffer.byteLength(text) }
}

/** Throws `invalidParams` for a lone surrogate: UTF-8 cannot store it, so the file would return another character. */
function assertWholeCharacters(part: ContentItem, field: string): void {
  if (!isLong(part) || part.text.isWellFormed()) return
  const message =
    'The text has half of a character in it (a lone surrogate), and is too long to be kept with it. Remove it, or send less than 1 MiB.'
  throw rejection('invalidParams', message, { field })
}

/** Finds a waiting message whose long texts are still inline, as earlier versions wrote them. */
export function longWaiting(messages: readonly QueuedMessage[]): QueuedMessage | null {
  return messages.find(({ content }) => !fitsInline(content)) ?? null
}

/** Moves the long texts of a waiting message to side files. */
export async function keepLongWaiting(
  {
    conversation,
    modules,
  }: { readonly conversation: Conversation; readonly modules: { readonly redaction: Redaction } },
  message: QueuedMessage,
): Promise<void> {
  const { messageId } = message
  const { sideFiles } = conversation
  const whole = message.content.map((part) =>
    part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part,
  )
  const content = await keepLongTexts(whole, { sideFiles, redact: modules.redaction.text })
  // The message may have been edited or removed during the wait.
  if (!conversation.state.core.inbox.includes(message)) return
  conversation.record({ type: 'message.edited', messageId, content })
}
