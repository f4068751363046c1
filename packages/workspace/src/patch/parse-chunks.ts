import type { Chunk, ChunkLine } from './patch-hunks.ts'
import { failParse, type PatchLines, readFrom, type Step } from './patch-lines.ts'

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
