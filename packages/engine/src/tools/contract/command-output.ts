import { limitDefaults } from '@parley/config/defaults'
import type { CommandEnd, OutputSnapshot } from '@parley/host'
import { StorageError } from '@parley/journal'
import type { CallOutput, ItemId } from '@parley/protocol'
import { characterEnd, characterStart, clipForModel } from '@parley/text'
import { formatBytes } from '@parley/workspace'
import { imageProblem, imageSizeOf, isWholeImage, kindOf } from '../../core/image-facts.ts'
import { imageTypeOf } from '../../core/image-form.ts'
import type { CallFiles, StoredImage, ToolFiles } from './tool.ts'

/** Limit of output inside an item; more goes into a side file. */
export const inlineBytes = 8 * 1024
const shownHeadBytes = 4 * 1024
const shownTailBytes = 4 * 1024

/** Bounded output of a command. `head` may hold all of it when nothing was omitted. */
type KeptEnd = OutputSnapshot & Pick<CommandEnd, 'spool'>

/** Stores a command's output for its item: whole when it is small, else both ends and a side file with all of it. */
export async function keepOutput(end: KeptEnd, sideFiles: ToolFiles): Promise<CallOutput> {
  const shown = shownOutput(end)
  if (shown.omittedBytes === 0) return shown
  const file = await keepWhole(end, Buffer.concat([end.head, end.tail]), sideFiles)
  return file === null ? shown : { ...shown, file }
}

/** Stores a text that is a call's output, as `keepOutput` does. */
export function keepText(text: string, sideFiles: ToolFiles): Promise<CallOutput> {
  const head = Buffer.from(text)
  const lineEnds = text.split('\n').length - 1
  return keepOutput({ head, tail: Buffer.alloc(0), totalBytes: head.length, omittedBytes: 0, lineEnds }, sideFiles)
}

/** Returns output as an item has it: whole when it is small, else both ends. */
export function shownOutput({ totalBytes, head, tail, omittedBytes, lineEnds }: OutputSnapshot): CallOutput {
  const known = Buffer.concat([head, tail])
  const binary = isBinary(head, tail) ? { binary: true as const } : {}
  if (omittedBytes === 0 && totalBytes <= inlineBytes)
    return { head: known.toString(), tail: '', totalBytes, omittedBytes: 0, ...binary }
  const start = known.subarray(0, characterEnd(known.subarray(0, shownHeadBytes)))
  const newest = known.subarray(-shownTailBytes)
  const finish = newest.subarray(characterStart(newest))
  return {
    head: start.toString(),
    tail: finish.toString(),
    totalBytes,
    omittedBytes: totalBytes - start.length - finish.length,
    totalLines: lineEnds + (known.at(-1) === 10 ? 0 : 1),
    ...binary,
  }
}

/** Stores the whole output. Resolves with null when the disk fails; the item still has both ends. */
function keepWhole({ spool }: KeptEnd, known: Buffer, sideFiles: ToolFiles): Promise<string | null> {
  return unlessDiskFails(() => (spool === undefined ? sideFiles.put(known) : sideFiles.adopt(spool.path)))
}

async function unlessDiskFails(store: () => Promise<string>): Promise<string | null> {
  try {
    return await store()
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}

/** Returns output for the model: text with its middle left out, or the size of other content. */
export function outputForModel({ head, tail, totalBytes, omittedBytes }: OutputSnapshot, itemId: ItemId): string {
  if (isBinary(head, tail)) return binaryWords({ totalBytes })
  const seen = { head: head.toString(), tail: tail.toString(), totalBytes, omittedBytes }
  return clipForModel(seen, `read_file "output:${itemId}" shows the rest`, limitDefaults.modelOutputBytes)
}

/** Returns the words for the model about output that is not text. */
export function binaryWords({ totalBytes }: Pick<CallOutput, 'totalBytes'>): string {
  return `(binary output, ${totalBytes} bytes)`
}

function isBinary(head: Buffer, tail: Buffer): boolean {
  return head.includes(0) || tail.includes(0)
}

/** Image that a command wrote as its output, in words, and as the model sees it; null where it cannot be shown. */
export interface ShownImage {
  readonly words: string
  readonly stored: StoredImage | null
}

/** Keeps an output that is one image, whole, for the model; null for any other output. */
export async function keepImage(
  end: KeptEnd,
  output: CallOutput,
  { sideFiles, imageLimits }: CallFiles,
): Promise<ShownImage | null> {
  const mediaType = imageTypeOf(end.head)
  if (mediaType === null) return null
  const unseen = (why: string) => ({ words: `(binary output, ${end.totalBytes} bytes. ${why})`, stored: null })
  const bytes = wholeOutput(end, output, { sideFiles, maxBytes: imageLimits.maxBytes + 1 })
  const problem = bytes === null ? null : imageProblem('Not shown: the image', bytes, imageLimits)
  if (problem !== null) return unseen(problem)
  if (bytes === null || !isWholeImage(bytes)) return unseen(notAlone(end.head))
  const file = output.file ?? (await unlessDiskFails(() => sideFiles.put(bytes)))
  if (file === null) return unseen('Not shown: the image could not be kept.')
  return { words: `(${describeImage(mediaType, bytes)})`, stored: { file, mediaType, name: 'output' } }
}

function notAlone(bytes: Uint8Array): string {
  return `It begins as a ${kindOf(bytes)} image and is not shown, since it is cut off or holds more than that image; write the image to a file and look at it with view_image`
}

interface WholeParts {
  readonly sideFiles: ToolFiles
  readonly maxBytes: number
}

/** Returns all of an output, or as many bytes of a longer one; null where the middle was not kept. */
function wholeOutput(end: KeptEnd, { file }: CallOutput, { sideFiles, maxBytes }: WholeParts): Buffer | null {
  if (end.omittedBytes === 0) return Buffer.concat([end.head, end.tail])
  return file === undefined ? null : sideFiles.read(file, { offset: 0, length: maxBytes })
}

/** Returns the name of the file that takes a running command's output, in the folder of side files. */
export function spoolName(itemId: ItemId): string {
  return `spool-${itemId}`
}

/** Returns kind, pixels and size of an image. */
export function describeImage(mediaType: string, bytes: Uint8Array): string {
  const size = imageSizeOf(bytes)
  const pixels = size === null ? '' : `, ${size.width} × ${size.height} pixels`
  return `${mediaType}${pixels}, ${formatBytes(bytes.length)}`
}
