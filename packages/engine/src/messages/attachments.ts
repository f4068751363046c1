import { constants } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { openUnlockedHandle } from '@parley/host'
import type { ImageLimits } from '@parley/models'
import { type ContentItem, type InputItem, limits, type QueuedMessage } from '@parley/protocol'
import { errorCode, errorMessage, firstBytes, lineCount, wellFormed } from '@parley/text'
import type { SideFiles } from '../conversation/side-files.ts'
import { imageProblem } from '../core/image-facts.ts'
import { imageTypeOf } from '../core/image-form.ts'
import { invalidParam } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'
import type { RecordRole, Roles } from '../roles/roles.ts'

type Image = Extract<InputItem, { type: 'image' }>
type TextItem = Extract<InputItem, { type: 'text' }>

/** Largest image that is read, in bytes; the API of the model may take less. */
const maxImageBytes = 10 << 20

/** Returns the content unchanged when nothing has to be stored; null when there are images or long texts. */
export function shortTexts(input: readonly InputItem[]): ContentItem[] | null {
  const texts = input.filter((part) => part.type === 'text')
  return texts.length === input.length && fitsInline(texts) ? texts : null
}

interface AttachmentStore {
  readonly sideFiles: Pick<SideFiles, 'put' | 'keep'>
  readonly imageLimits: ImageLimits
}

/** Returns the side files and image limits for attachments of a conversation. */
export function attachmentParts({ record, act }: Pick<Roles, 'record' | 'act'>): AttachmentStore {
  return { sideFiles: record.conversation.sideFiles, imageLimits: act.imageLimits() }
}

/** Stores images and long texts as side files, for later requests. Throws `invalidParams` for an unreadable image. */
export async function storeAttachments(input: readonly InputItem[], kept: AttachmentStore): Promise<ContentItem[]> {
  const read: (ReadImage | TextItem)[] = []
  // All are read before any is stored: a rejected message leaves nothing behind.
  for (const [index, part] of input.entries())
    read.push(part.type === 'text' ? part : await readImage(part, `input[${index}]`, kept.imageLimits))
  const content: ContentItem[] = []
  for (const part of read) content.push('bytes' in part ? await keepImage(part, kept.sideFiles) : part)
  return keepLongTexts(content, kept.sideFiles)
}

interface ReadImage {
  readonly bytes: Buffer
  readonly mediaType: string
  readonly name: string
}

async function keepImage(
  { bytes, mediaType, name }: ReadImage,
  sideFiles: AttachmentStore['sideFiles'],
): Promise<ContentItem> {
  return { type: 'image', file: await sideFiles.put(bytes), mediaType, name }
}

async function readImage({ path, url }: Image, field: string, limits: ImageLimits): Promise<ReadImage> {
  const invalid = (message: string) => invalidParam(field, message)
  if ((path === undefined) === (url === undefined)) throw invalid('An image has either a path or a url.')
  const name = path === undefined ? 'image' : basename(path)
  const bytes = path === undefined ? bytesOfUrl(url ?? '') : await bytesOfFile(path)
  if (typeof bytes === 'string') throw invalid(bytes)
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null)
    throw invalid(`${path ?? 'The image'} is not a PNG, JPEG, GIF or WebP image. Convert it first.`)
  const problem = imageProblem(path ?? 'The image', bytes, limits)
  if (problem !== null) throw invalid(problem)
  return { bytes, mediaType, name }
}

/** Reads an image file; returns a sentence when it cannot be read. */
async function bytesOfFile(path: string): Promise<Buffer | string> {
  if (!isAbsolute(path)) return `The path of an image must be absolute: ${path}`
  try {
    // Checked before opening: opening a pipe would wait for its writer.
    const known = await stat(path)
    if (!known.isFile()) return `${path} is not a file.`
    return known.size > maxImageBytes ? tooLarge(path, known.size) : await readWhole(path)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return `There is no image ${path}.`
    return `The image ${path} cannot be read (${errorMessage(error)}).`
  }
}

async function readWhole(path: string): Promise<Buffer> {
  await using handle = await openUnlockedHandle(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return await handle.readFile()
}

function bytesOfUrl(url: string): Buffer | string {
  const base64 = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1]
  if (base64 === undefined) return 'The url of an image must be a data: URL in base64.'
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length > maxImageBytes ? tooLarge('The image', bytes.length) : bytes
}

function tooLarge(what: string, sizeBytes: number): string {
  const size = (sizeBytes / (1 << 20)).toFixed(1)
  return `${what} has ${size} MiB; an image may have ${maxImageBytes >> 20} MiB. Make it smaller first.`
}

/** JSON bytes up to which a text stays in the line, whatever the size of the others. */
const shortTextBytes = 16 * 1024
const beginningBytes = 2048

type TextPart = Extract<ContentItem, { type: 'text' }>

/** Tells if the parts of a message fit in its log line. */
function fitsInline(content: readonly ContentItem[]): boolean {
  const length = content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  // A long text is not written as JSON only to be measured.
  return length <= limits.inline && jsonBytes(content) <= limits.inline
}

/**
 * Returns content with whole characters, its long texts in side files when it is too large for a line; `text` keeps the
 * beginning. Throws `invalidParams` for too many parts.
 */
async function keepLongTexts(
  given: readonly ContentItem[],
  sideFiles: AttachmentStore['sideFiles'],
): Promise<ContentItem[]> {
  const content = given.map((part) => wellFormed(part))
  if (fitsInline(content)) return content
  const kept: ContentItem[] = []
  for (const part of content) kept.push(isLong(part) ? await keepText(part.text, sideFiles) : part)
  if (fitsInline(kept)) return kept
  const message = `A message of ${content.length} parts is too large for the log. Join its texts, or send fewer parts.`
  throw invalidParam('input', message)
}

function isLong(part: ContentItem): part is TextPart {
  if (part.type !== 'text' || part.file !== undefined) return false
  return part.text.length > shortTextBytes || jsonBytes(part.text) > shortTextBytes
}

async function keepText(long: string, sideFiles: AttachmentStore['sideFiles']): Promise<TextPart> {
  const { file, text } = await sideFiles.keep(long)
  const whole = { file, totalBytes: Buffer.byteLength(text), totalLines: lineCount(text) }
  return { type: 'text', text: firstBytes(text, beginningBytes), ...whole }
}

/** Finds a waiting message with long texts that are still inline, as earlier versions wrote them. */
export function longWaiting(messages: readonly QueuedMessage[]): QueuedMessage | null {
  return messages.find(({ content }) => !fitsInline(content)) ?? null
}

/** Moves the long texts of a waiting message to side files. */
export async function keepLongWaiting(
  { conversation }: Pick<RecordRole, 'conversation'>,
  message: QueuedMessage,
): Promise<void> {
  const { messageId } = message
  const content = await keepLongTexts(message.content, conversation.sideFiles)
  // The message may have been edited or removed during the wait.
  if (!conversation.state.core.inbox.includes(message)) return
  conversation.record({ type: 'message.edited', messageId, content })
}
