import type { ContentItem, QueuedMessage } from '@parley/protocol'
import { firstBytes } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'
import type { SideFiles } from '../conversation/side-files.ts'
import { rejection } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'
import type { TurnModules } from '../turn/turn-context.ts'

/** JSON bytes of the parts of one message. Its log line holds them up to three times, a snapshot those of many messages. */
const inlineBytes = 1024 * 1024
/** JSON bytes of a text that stays where it is, however much the others are. */
const shortTextBytes = 16 * 1024
const beginningBytes = 2048

type TextPart = Extract<ContentItem, { type: 'text' }>

/** Tells if the parts of a message can stand in its log line as they are. */
export function fitsInline(content: readonly ContentItem[]): boolean {
  return jsonBytes(content) <= inlineBytes
}

/** The content with a side file in place of each long text, where it is too large for a line; `text` is its beginning. */
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

/** Half a character has no bytes of its own in UTF-8: in a file it would come back as another one. */
function assertWholeCharacters(part: ContentItem, field: string): void {
  if (!isLong(part) || part.text.isWellFormed()) return
  const message =
    'The text has half of a character in it (a lone surrogate), and is too long to be kept with it. Remove it, or send less than 1 MiB.'
  throw rejection('invalidParams', message, { field })
}

/** A message that cannot become an item as it is: an earlier version wrote its long texts into the line. */
export function longWaiting(messages: readonly QueuedMessage[]): QueuedMessage | null {
  return messages.find(({ content }) => !fitsInline(content)) ?? null
}

/** Puts the long texts of a message that waits into files. */
export async function keepLongWaiting(
  { conversation, modules }: { readonly conversation: Conversation; readonly modules: Pick<TurnModules, 'redaction'> },
  message: QueuedMessage,
): Promise<void> {
  const { messageId } = message
  const { sideFiles } = conversation
  const whole = message.content.map((part) =>
    part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part,
  )
  const content = await keepLongTexts(whole, { sideFiles, redact: modules.redaction.text })
  // Meanwhile it may have been edited or taken back.
  if (!conversation.state.core.inbox.includes(message)) return
  conversation.record({ type: 'message.edited', messageId, content })
}
