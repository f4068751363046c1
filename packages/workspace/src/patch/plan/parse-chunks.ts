const endOfFileMarker = '*** End of File'
const unifiedHeader = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)$/

/** Reads the chunks of one updated file, up to the next line that begins with `*` or the patch's end. */
export function parseChunks(lines: PatchLines, start: number): Step<readonly Chunk[]> {
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

function parseChunk(lines: PatchLines, index: number, isFirst: boolean): Step<Chunk> {
  const line = index + 1
  const headers = readFrom(lines, index, (text) => text.trimEnd() === '@@' || text.startsWith('@@ '))
  if (headers.length === 0 && !isFirst) {
    return failParse(line, `expected the chunk to begin with @@, but found '${lines[index]}'.`)
  }
  const contexts = headers.map(contextOf).filter((text) => text !== '')
  const bodyStart = index + headers.length
  const body = readFrom(lines, bodyStart, (text) => text === '' || /^[ +-]/.test(text))
  const next = bodyStart + body.length
  const stop = lines[next]
  if (body.length === 0) return failParse(next + 1, emptyChunk(stop))
  const atEnd = stop?.trim() === endOfFileMarker
  const chunk = { contexts, lines: body.map(chunkLine), atEnd, line }
  if (stop !== undefined && !/^[*@]/.test(stop)) return failParse(next + 1, unexpectedLine(stop))
  return { ok: true, value: chunk, next: atEnd ? next + 1 : next }
}

/** A header as of `diff -u` counts as `@@`: its line numbers are not to be trusted, its section heading is. */
function contextOf(header: string): string {
  const unified = unifiedHeader.exec(header)
  return (unified === null ? header.slice(3) : (unified[1] ?? '').slice(1)).trimEnd()
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

/** The lines of a patch from the Begin marker on, the End marker left off. */
export type PatchLines = readonly string[]

/** One parsed part and the index of the line behind it, or why and where (1-based) it cannot be read. */
export type Step<Value> =
  | { readonly ok: true; readonly value: Value; readonly next: number }
  | { readonly ok: false; readonly line: number; readonly message: string }

export function failParse(line: number, reason: string): { ok: false; line: number; message: string } {
  return { ok: false, line, message: `Invalid patch hunk on line ${line}: ${reason}` }
}

/** The run of lines from `start` on that the predicate accepts. */
export function readFrom(lines: PatchLines, start: number, accepts: (line: string) => boolean): string[] {
  const run: string[] = []
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (!accepts(line)) break
    run.push(line)
  }
  return run
}

export interface ChunkLine {
  readonly kind: 'keep' | 'remove' | 'insert'
  readonly text: string
}

/** One place of change in an updated file. */
export interface Chunk {
  /** Texts behind `@@`, outermost first: the chunk lies below the last of them. */
  readonly contexts: readonly string[]
  readonly lines: readonly ChunkLine[]
  /** `*** End of File` stood behind it. */
  readonly atEnd: boolean
  /** Where it begins in the patch; the Begin marker is line 1. */
  readonly line: number
}

/** What a patch says of one file. Paths are as written. */
export type Hunk =
  | { readonly kind: 'add'; readonly path: string; readonly line: number; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string; readonly line: number }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly line: number
      readonly movedTo?: string
      /** May be empty only when the file is moved. */
      readonly chunks: readonly Chunk[]
    }
