import { describeNearest, findLines } from './find-lines.ts'
import type { Chunk, ChunkLine } from './parse-chunks.ts'
import type { TextFile, TextLine } from './text-file.ts'

interface ChunkFailure {
  readonly code: 'contextNotFound' | 'linesNotFound'
  /** First line of the chunk in the patch. */
  readonly line: number
  readonly message: string
}

export type AppliedChunks =
  | { readonly ok: true; readonly file: TextFile }
  | { readonly ok: false; readonly failures: readonly ChunkFailure[] }

interface Edit {
  readonly start: number
  readonly removed: number
  readonly lines: readonly TextLine[]
}

interface Match {
  readonly ok: true
  readonly edit: Edit
  readonly next: number
}

type Failed = { readonly ok: false } & ChunkFailure

/** File with the index that the search for the next chunk starts from. */
interface Cursor {
  readonly path: string
  readonly file: TextFile
  readonly texts: readonly string[]
  readonly from: number
  /** True when failures may quote the file. */
  readonly quoting: boolean
}

/**
 * Applies chunks, which must be in file order. Reports every chunk that does not match.
 *
 * Kept lines are copied from the file, so a lenient match never rewrites them.
 */
export function applyChunks(path: string, file: TextFile, chunks: readonly Chunk[], quoting = true): AppliedChunks {
  const texts = file.lines.map(({ text }) => text)
  const edits: Edit[] = []
  const failures: ChunkFailure[] = []
  let from = 0
  for (const chunk of chunks) {
    const match = matchChunk({ path, file, texts, from, quoting }, chunk)
    if (match.ok) {
      edits.push(match.edit)
      from = match.next
    } else {
      failures.push({ code: match.code, line: match.line, message: match.message })
    }
  }
  if (failures.length > 0) return { ok: false, failures }
  return { ok: true, file: { ...file, lines: replaceLines(file.lines, edits) } }
}

function matchChunk(cursor: Cursor, chunk: Chunk): Match | Failed {
  let from = cursor.from
  for (const context of chunk.contexts) {
    const found = findLines({ lines: cursor.texts, wanted: [context], from })
    if (found === null) return contextFailure({ ...cursor, from }, chunk, context)
    from = found + 1
  }
  const below = { ...cursor, from }
  if (chunk.lines.every(({ kind }) => kind === 'insert')) return matchAddition(below, chunk)
  const match = matchReplacement(below, chunk)
  if (match !== null) return match
  // Models often repeat the context line as the first line of the chunk.
  const again = chunk.contexts.length === 0 ? null : matchReplacement({ ...below, from: from - 1 }, chunk)
  return again ?? linesFailure(below, chunk)
}

/** Inserts a chunk of new lines only: below its context, or at the end of the file without one. */
function matchAddition(cursor: Cursor, chunk: Chunk): Match {
  const start = chunk.contexts.length === 0 || chunk.atEnd ? cursor.texts.length : cursor.from
  return { ok: true, edit: editAt(cursor.file, start, chunk.lines), next: cursor.from }
}

function matchReplacement(cursor: Cursor, chunk: Chunk): Match | null {
  let lines: readonly ChunkLine[] | null = chunk.lines
  while (lines !== null) {
    const wanted = oldTexts(lines)
    if (wanted.length === 0) return null
    const start = findLines({ lines: cursor.texts, wanted, from: cursor.from, atEnd: chunk.atEnd })
    if (start !== null) return { ok: true, edit: editAt(cursor.file, start, lines), next: start + wanted.length }
    lines = withoutTrailingBlank(lines)
  }
  return null
}

function oldTexts(lines: readonly ChunkLine[]): string[] {
  return lines.filter(({ kind }) => kind !== 'insert').map(({ text }) => text)
}

/** Drops a blank last old line and, if it was removed, a blank last new line. Returns null when the last old line is not blank. */
function withoutTrailingBlank(lines: readonly ChunkLine[]): readonly ChunkLine[] | null {
  const old = lines.findLastIndex(({ kind }) => kind !== 'insert')
  if (lines[old]?.text !== '') return null
  const shorter = lines.toSpliced(old, 1)
  const added = shorter.findLastIndex(({ kind }) => kind === 'insert')
  const blankAdded = lines[old].kind === 'remove' && added === shorter.length - 1 && shorter[added]?.text === ''
  return blankAdded ? shorter.toSpliced(added, 1) : shorter
}

function editAt(file: TextFile, start: number, lines: readonly ChunkLine[]): Edit {
  const replacement: TextLine[] = []
  let position = start
  for (const { kind, text } of lines) {
    const current = file.lines[position]
    if (kind === 'insert') replacement.push(insertedLine(file, position, text))
    else position += 1
    if (kind === 'keep' && current !== undefined) replacement.push(current)
  }
  return { start, removed: position - start, lines: replacement }
}

/** Gives a new line the line end of the line before it. */
function insertedLine(file: TextFile, position: number, text: string): TextLine {
  const end = file.lines[position - 1]?.end || defaultEnd(file.lines)
  return { text: end === '\r\n' && text.endsWith('\r') ? text.slice(0, -1) : text, end }
}

function defaultEnd(lines: readonly TextLine[]): '\n' | '\r\n' {
  return lines[0]?.end || '\n'
}

/** Replaces lines. Keeps the presence or absence of a final line end; an empty file gets one. */
function replaceLines(lines: readonly TextLine[], edits: readonly Edit[]): TextLine[] {
  // Joined at the end, because push(...lines) fails for files with more lines than a call can have arguments.
  const pieces: (readonly TextLine[])[] = []
  let position = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(lines.slice(position, edit.start), edit.lines)
    position = edit.start + edit.removed
  }
  pieces.push(lines.slice(position))
  const result = pieces.flat()
  const keepsEnd = lines.at(-1)?.end !== ''
  return result.map((line, index) => {
    if (index === result.length - 1 && !keepsEnd) return { ...line, end: '' }
    return line.end === '' ? { ...line, end: defaultEnd(lines) } : line
  })
}

function contextFailure(cursor: Cursor, chunk: Chunk, context: string): Failed {
  const message = `Failed to find the context line '${context}' in ${cursor.path}.${hint(cursor, [context])}`
  return { ok: false, code: 'contextNotFound', line: chunk.line, message }
}

function linesFailure(cursor: Cursor, chunk: Chunk): Failed {
  const wanted = oldTexts(chunk.lines)
  const intro = `Failed to find the expected lines of the chunk on line ${chunk.line} in ${cursor.path}:`
  const message = `${intro}\n${wanted.join('\n')}${hint(cursor, wanted)}`
  return { ok: false, code: 'linesNotFound', line: chunk.line, message }
}

function hint({ texts, from, quoting }: Cursor, wanted: readonly string[]): string {
  if (!quoting) return ''
  const earlier = findLines({ lines: texts, wanted, from: 0 })
  if (earlier === null) return describeNearest(texts, wanted)
  return `\nThey are at line ${earlier + 1}, above line ${from + 1} where the search began: chunks must come in file order.`
}
