import { limitDefaults } from '@parley/config/defaults'
import { isMissing } from '@parley/text'
import type { EnvironmentFiles, OpenedFile } from '../files/environment-files.ts'
import { systemErrorReason } from '../files/errors.ts'
import { formatBytes } from './display-text.ts'
import { type LineRange, type RangeLimits, type RangeLine, scanLineRange } from './line-range.ts'
import { suggestForMissing } from './nearest-names.ts'

export interface ReadRequest {
  readonly files: EnvironmentFiles
  /** Real path; the read fails if it contains a link. */
  readonly path: string
  /** Path for messages. */
  readonly shownPath: string
  /** First line, counted from 1. */
  readonly offset?: number
  /** Maximum number of lines, default 2000. */
  readonly limit?: number
  /** Redacts the start of a cut line, which may end within a secret. */
  readonly redactCutLine?: (text: string) => string
  readonly signal?: AbortSignal
}

export type ReadOutcome =
  | {
      readonly kind: 'text'
      /** Numbered lines, then a line in brackets: the range shown and the offset to continue with. */
      readonly text: string
      /** 0 for an empty file. */
      readonly firstLine: number
      readonly lastLine: number
      /** Number of lines; null when the file is too large to count them. */
      readonly totalLines: number | null
      readonly totalBytes: number
      /** True when some bytes shown were not UTF-8 and were replaced. */
      readonly lossy: boolean
    }
  | { readonly kind: 'failed'; readonly message: string }

/** Below the 32 KiB of output that the model gets of one call. */
const maxTextBytes = 31 * 1024
const maxLineChars = 2000
const chunkBytes = 256 * 1024

/** Reads a range of lines of a text file as a stream; memory does not grow with the file. */
export async function readLines(request: ReadRequest): Promise<ReadOutcome> {
  try {
    await using file = await request.files.open(request.path)
    return await readOpened(file, request)
  } catch (error) {
    const { shownPath } = request
    if (!isMissing(error)) return failed(`${shownPath} cannot be read: ${systemErrorReason(error)}.`)
    return failed(`${shownPath} does not exist.${await suggestForMissing(request.path, request.files)}`)
  }
}

/** Reads a range of lines of a text that stands for the file of the request. */
export function readLinesOf(text: string, request: ReadRequest): Promise<ReadOutcome> {
  const bytes = Buffer.from(text)
  return readOpened(
    {
      kind: 'file',
      sizeBytes: bytes.length,
      read: async (position, maxBytes) => bytes.subarray(position, position + maxBytes),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    request,
  )
}

interface Scanned {
  readonly range: LineRange
  /** True when the whole file was read. */
  readonly counted: boolean
}

async function readOpened(file: OpenedFile, request: ReadRequest): Promise<ReadOutcome> {
  const { sizeBytes } = file
  if (file.kind === 'folder') return failed(`${request.shownPath} is a folder; list it instead.`)
  if (file.kind !== 'file')
    return failed(`${request.shownPath} is neither a file nor a folder (a pipe, socket or device).`)
  const kind = binaryKind(await file.read(0, sniffBytes))
  if (kind !== null) return failed(refusal(request.shownPath, kind, sizeBytes))

  const scanned = await scanFile(file, request, sizeBytes > request.files.countedFileBytes)
  if (scanned === null) return failed(`Reading ${request.shownPath} was interrupted.`)
  if (scanned.range.lines.some(({ text }) => text.includes('\0'))) {
    return failed(refusal(request.shownPath, 'binary data', sizeBytes))
  }
  return present(scanned, request, sizeBytes)
}

async function scanFile(file: OpenedFile, request: ReadRequest, huge: boolean): Promise<Scanned | null> {
  const scan = scanLineRange(rangeLimits(request))
  let position = 0
  for (;;) {
    if (request.signal?.aborted) return null
    const chunk = await file.read(position, chunkBytes)
    if (chunk.length === 0) return { range: scan.finish(), counted: true }
    position += chunk.length
    if (scan.push(chunk) && huge) return { range: scan.finish(), counted: false }
  }
}

function rangeLimits({ offset, limit, redactCutLine: beginning }: ReadRequest): RangeLimits {
  const firstLine = Math.max(1, Math.trunc(offset ?? 1))
  const maxLines = Math.max(1, Math.trunc(limit ?? limitDefaults.readLines))
  return { firstLine, maxLines, maxTextBytes, maxLineChars, redactCutLine: beginning }
}

function present({ range, counted }: Scanned, request: ReadRequest, totalBytes: number): ReadOutcome {
  const totalLines = counted ? range.seenLines : null
  const [first] = range.lines
  if (first === undefined && range.seenLines > 0) {
    return failed(`${request.shownPath} has ${range.seenLines} lines; line ${request.offset} is past its end.`)
  }
  const firstLine = first?.number ?? 0
  const lastLine = range.lines.at(-1)?.number ?? 0
  const lossy = range.lines.some((line) => line.lossy)
  const text = [...range.lines.map(numbered), closing({ firstLine, lastLine, totalLines, totalBytes }, range.lines)]
  return { kind: 'text', text: text.join('\n'), firstLine, lastLine, totalLines, totalBytes, lossy }
}

function numbered({ number, text, omittedBytes }: RangeLine): string {
  const shown = number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text
  const mark = omittedBytes === 0 ? '' : ` [… ${omittedBytes} more bytes in this line]`
  return `${String(number).padStart(6)}\t${shown}${mark}`
}

type Extent = Pick<Extract<ReadOutcome, { kind: 'text' }>, 'firstLine' | 'lastLine' | 'totalLines' | 'totalBytes'>

function closing({ firstLine, lastLine, totalLines, totalBytes }: Extent, lines: readonly RangeLine[]): string {
  if (lines.length === 0) return '[the file is empty]'
  const total = totalLines === null ? '' : ` of ${totalLines}`
  const parts = [`lines ${firstLine}-${lastLine}${total}, file of ${formatBytes(totalBytes)}`]
  if (lastLine !== totalLines) parts.push(`go on with offset ${lastLine + 1}`)
  if (lines.some((line) => line.crlf)) parts.push('lines end in CRLF')
  if (lines.some((line) => line.lossy)) parts.push('not valid UTF-8: each \uFFFD stands for bytes that are not shown')
  return `[${parts.join('; ')}]`
}

function refusal(shownPath: string, kind: string, sizeBytes: number): string {
  return `${shownPath} is not text but ${kind} of ${formatBytes(sizeBytes)}; it is not shown.`
}

function failed(message: string): ReadOutcome {
  return { kind: 'failed', message }
}

/** First bytes, in latin-1, of common file formats. */
const signatures: ReadonlyArray<readonly [opening: string, kind: string]> = [
  ['\x89PNG\r\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive (or a document made of one)'],
  ['\x1f\x8b', 'gzip data'],
  ['\x28\xb5\x2f\xfd', 'zstd data'],
  ['\xfd7zXZ', 'xz data'],
  ['BZh', 'bzip2 data'],
  ['\x7fELF', 'an ELF program or library'],
  ['\xcf\xfa\xed\xfe', 'a Mach-O program or library'],
  ['\0asm', 'a WebAssembly module'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['\xff\xfe', 'UTF-16 text'],
  ['\xfe\xff', 'UTF-16 text'],
]

const sniffBytes = 8192

/** Names the binary format of a file from its first `sniffBytes` bytes; null when they may be text. */
function binaryKind(opening: Uint8Array): string | null {
  const head = Buffer.from(opening.subarray(0, 16)).toString('latin1')
  const known = signatures.find(([signature]) => head.startsWith(signature))
  if (known !== undefined && !looksLikeText(known[0], opening)) return known[1]
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'a WebP image'
  return opening.subarray(0, sniffBytes).includes(0) ? 'binary data' : null
}

/** Returns true for a printable signature such as `GIF8` without any byte that text cannot contain. */
function looksLikeText(signature: string, opening: Uint8Array): boolean {
  if (signature === '%PDF-' || /[^\x20-\x7e]/.test(signature)) return false
  return !opening.subarray(0, sniffBytes).some((byte) => byte < 9 || byte >= 0x80)
}
