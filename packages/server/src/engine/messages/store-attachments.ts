import { constants } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { openUnlockedHandle } from '@parley/host'
import type { ContentItem, InputItem } from '@parley/protocol'
import { imageTypeOf, type SideFiles } from '../conversation/side-files.ts'
import { rejection } from '../replies/rejection.ts'
import { fitsInline, keepLongTexts } from './long-texts.ts'

type Image = Extract<InputItem, { type: 'image' }>
type TextItem = Extract<InputItem, { type: 'text' }>

/** No provider takes larger ones in a request. */
const maxImageBytes = 10 << 20

/** The content itself when there is nothing to put in files; null when there are images or long texts. */
export function shortTexts(input: readonly InputItem[]): ContentItem[] | null {
  const texts = input.filter((part) => part.type === 'text')
  return texts.length === input.length && fitsInline(texts) ? texts : null
}

interface Kept {
  readonly sideFiles: SideFiles
  /** Takes the secrets out of a text. */
  readonly redact: (text: string) => string
}

/** Keeps what a client sent: images and long texts become files beside the log, so that requests can be made again. */
export async function storeAttachments(input: readonly InputItem[], kept: Kept): Promise<ContentItem[]> {
  const read: (ReadImage | TextItem)[] = []
  // All are read before any is copied: what is refused leaves nothing behind.
  for (const [index, part] of input.entries())
    read.push(part.type === 'text' ? part : await readImage(part, `input[${index}]`))
  const content: ContentItem[] = []
  for (const part of read) content.push('bytes' in part ? await keepImage(part, kept.sideFiles) : part)
  return keepLongTexts(content, kept)
}

interface ReadImage {
  readonly bytes: Buffer
  readonly mediaType: string
  readonly name: string
}

async function keepImage({ bytes, mediaType, name }: ReadImage, sideFiles: SideFiles): Promise<ContentItem> {
  return { type: 'image', file: await sideFiles.put(bytes), mediaType, name }
}

async function readImage({ path, url }: Image, field: string): Promise<ReadImage> {
  const refuse = (message: string) => rejection('invalidParams', message, { field })
  if ((path === undefined) === (url === undefined)) throw refuse('An image has either a path or a url.')
  const name = path === undefined ? 'image' : basename(path)
  const bytes = path === undefined ? bytesOfUrl(url ?? '') : await bytesOfFile(path)
  if (typeof bytes === 'string') throw refuse(bytes)
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null)
    throw refuse(`${path ?? 'What the url holds'} is not a PNG, JPEG, GIF or WebP image. Convert it first.`)
  return { bytes, mediaType, name }
}

/** A sentence when it cannot be had. */
async function bytesOfFile(path: string): Promise<Buffer | string> {
  if (!isAbsolute(path)) return `The path of an image must be absolute: ${path}`
  try {
    // Not opened before: a pipe would wait for its writer.
    const known = await stat(path)
    if (!known.isFile()) return `${path} is not a file.`
    return known.size > maxImageBytes ? tooLarge(path, known.size) : await readWhole(path)
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing) return `There is no image ${path}.`
    return `The image ${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`
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
