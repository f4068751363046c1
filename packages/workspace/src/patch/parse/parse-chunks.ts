export interface ChunkLine {
  readonly kind: 'keep' | 'remove' | 'insert'
  readonly text: string
}

/** Change of consecutive lines in an updated file. */
export interface Chunk {
  /** Texts after `@@`, outermost first; the chunk applies below the last of them. */
  readonly contexts: readonly string[]
  /** Line number of the old file after `@@ -`, which only chooses between equal places; absent where it is made up. */
  readonly oldLine?: number
  readonly lines: readonly ChunkLine[]
  /** True when `*** End of File` follows the chunk. */
  readonly atEnd: boolean
  /** First line in the patch; the Begin marker is line 1. */
  readonly line: number
}

/** Section of a patch for one file. Paths are as written. */
export type Hunk =
  | { readonly kind: 'add'; readonly path: string; readonly line: number; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string; readonly line: number }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly line: number
      readonly movedTo?: string
      /** Empty only when the file is moved. */
      readonly chunks: readonly Chunk[]
    }

/** Lines of a patch from the Begin marker to the line before the End marker. */
export type PatchLines = readonly string[]

/** Parsed part with the index of the line after it, or the reason and 1-based line of a failure. */
export type ParseStep<Value> =
  | { readonly ok: true; readonly value: Value; readonly next: number }
  | { readonly ok: false; readonly line: number; readonly message: string }

const endOfFileMarker = '*** End of File'
const unifiedHeader = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@(.*)$/

/** Parses the chunks of one updated file, up to the next line that begins with `*` or the end of the patch. */
export function parseChunks(lines: PatchLines, start: number): ParseStep<readonly Chunk[]> {
  const chunks: Chunk[] = []
  let index = start
  while (index < lines.length && !lines[index]?.startsWith('*')) {
    if (lines[index]?.trim() === '') {
      index += 1
      continue
    }
    const step = parseChunk(lines, index, chunks.length === 0)
    if (!step.ok) return step
    chunks.push(step.value)
    index = step.next
  }
  return { ok: true, value: chunks, next: index }
}

function parseChunk(lines: PatchLines, index: number, isFirst: boolean): ParseStep<Chunk> {
  const line = index + 1
  const headers = readFrom(lines, index, (text) => text.trimEnd() === '@@' || text.startsWith('@@ '))
  if (headers.length === 0 && !isFirst) {
    return failParse(line, `expected the chunk to begin with @@, but found '${lines[index]}'.`)
  }
  const read = headers.map(readHeader)
  const contexts = read.flatMap(({ context }) => (context === '' ? [] : [context]))
  const bodyStart = index + headers.length
  const body = readFrom(lines, bodyStart, (text) => text === '' || /^[ +-]/.test(text) || isNoNewline(text))
  const next = bodyStart + body.length
  const stop = lines[next]
  if (body.every(isNoNewline)) return failParse(next + 1, emptyChunk(stop))
  const atEnd = stop?.trim() === endOfFileMarker
  const bodyLines = body.filter((text) => !isNoNewline(text)).map(chunkLine)
  const oldLine = read.findLast((header) => isCounted(header, bodyLines))?.oldLine
  const numbered = oldLine === undefined ? {} : { oldLine }
  const chunk = { contexts, ...numbered, lines: bodyLines, atEnd, line }
  if (stop !== undefined && !/^[*@]/.test(stop)) return failParse(next + 1, unexpectedLine(stop))
  return { ok: true, value: chunk, next: atEnd ? next + 1 : next }
}

/** Tests for the line of diffs about a last line without line end: a file keeps its own end. */
export function isNoNewline(text: string): boolean {
  return text.startsWith('\\ No newline')
}

interface Header {
  readonly context: string
  readonly oldLine?: number
  /** Numbers of old and of new lines in the header. */
  readonly counts?: { readonly old: number | null; readonly new: number | null }
}

/** Reads a line that begins with `@@`; in the form of `diff -u` its context is the section heading. */
function readHeader(header: string): Header {
  const unified = unifiedHeader.exec(header)
  if (unified === null) return { context: header.slice(3).trimEnd() }
  const [, oldLine, oldCount, newCount, heading = ''] = unified
  const counts = { old: countIn(oldCount), new: countIn(newCount) }
  return { context: heading.slice(1).trimEnd(), oldLine: Number(oldLine), counts }
}

function countIn(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}

/** Tests if the counts of a header match its lines: otherwise its numbers are made up. */
function isCounted({ counts }: Header, lines: readonly ChunkLine[]): boolean {
  if (counts === undefined) return false
  const end = lines.findLastIndex(({ kind, text }) => kind !== 'keep' || text !== '') + 1
  const count = (kind: ChunkLine['kind'], among: readonly ChunkLine[]) =>
    among.filter((one) => one.kind !== kind).length
  // Blank lines after a chunk may belong to it or not.
  const isOf = (said: number | null, kind: ChunkLine['kind']) =>
    said === null || (said >= count(kind, lines.slice(0, end)) && said <= count(kind, lines))
  return isOf(counts.old, 'insert') && isOf(counts.new, 'remove')
}

function chunkLine(text: string): ChunkLine {
  if (text.startsWith('+')) return { kind: 'insert', text: text.slice(1) }
  return { kind: text.startsWith('-') ? 'remove' : 'keep', text: text.slice(1) }
}

function emptyChunk(stop: string | undefined): string {
  if (stop === undefined || /^[*@]/.test(stop)) return 'the chunk has no lines.'
  return unexpectedLine(stop)
}

function unexpectedLine(text: string): string {
  return `unexpected line in an update: '${text}'. Every line begins with ' ' (kept), '+' (added) or '-' (removed).`
}

export function failParse(line: number, reason: string): { ok: false; line: number; message: string } {
  return { ok: false, line, message: `Invalid patch hunk on line ${line}: ${reason}` }
}

/** Returns the consecutive lines from `start` that the predicate accepts. */
export function readFrom(lines: PatchLines, start: number, accepts: (line: string) => boolean): string[] {
  const run: string[] = []
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (!accepts(line)) break
    run.push(line)
  }
  return run
}
