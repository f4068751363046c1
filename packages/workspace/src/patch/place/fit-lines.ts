import type { ChunkLine } from '../parse/parse-chunks.ts'
import { type IndentPair, indentOf, mapIndentation } from './map-indentation.ts'

/** Line that the patch and the file have, each in its own characters. */
interface SharedLine {
  readonly patch: string
  readonly file: string
}

/**
 * Returns the lines of a chunk in the form of the file: where the chunk fits only leniently, added lines get the file's
 * indentation, blanks, quotes and dashes. Returns null where that form is not clear.
 *
 * `current`: lines of the file that the chunk keeps or removes, in order.
 */
export function fitLines(lines: readonly ChunkLine[], current: readonly string[]): readonly ChunkLine[] | null {
  const old = lines.filter(({ kind }) => kind !== 'insert')
  const shared = old.map(({ text }, index): SharedLine => ({ patch: text, file: current[index] ?? text }))
  if (shared.every(({ patch, file }) => patch === file)) return lines
  const pairs = shared.flatMap(indentPair)
  if (isUnclear(lines, pairs)) return null
  const added = segmentsOf(lines, shared).flatMap((segment) => fitSegment(segment, pairs))
  if (added.includes(null)) return null
  let next = 0
  return lines.map((line) => {
    if (line.kind !== 'insert') return line
    next += 1
    return { ...line, text: added[next - 1] ?? line.text }
  })
}

function indentPair({ patch, file }: SharedLine): readonly IndentPair[] {
  return patch.trim() === '' ? [] : [{ patch: indentOf(patch), file: indentOf(file) }]
}

/**
 * Tests if the indentation of an added line may be meant as the file has it, and not beside the lines of the patch: it is
 * one of the file, and no added line has one of the patch.
 */
function isUnclear(lines: readonly ChunkLine[], pairs: readonly IndentPair[]): boolean {
  if (pairs.every(({ patch, file }) => patch === file)) return false
  const indents = lines.flatMap(({ kind, text }) => (kind === 'insert' && text.trim() !== '' ? [indentOf(text)] : []))
  if (indents.some((indent) => pairs.some(({ patch }) => patch === indent))) return false
  return indents.some((indent) => pairs.some(({ file }) => file === indent))
}

/** Removed lines of a chunk with the added ones between the same kept lines. */
interface Segment {
  readonly removed: readonly SharedLine[]
  readonly added: readonly string[]
}

function segmentsOf(lines: readonly ChunkLine[], shared: readonly SharedLine[]): readonly Segment[] {
  const segments: { removed: SharedLine[]; added: string[] }[] = [{ removed: [], added: [] }]
  let position = 0
  for (const { kind, text } of lines) {
    const line = kind === 'insert' ? undefined : shared[position]
    if (kind !== 'insert') position += 1
    if (kind === 'keep') segments.push({ removed: [], added: [] })
    else if (line === undefined) segments.at(-1)?.added.push(text)
    else segments.at(-1)?.removed.push(line)
  }
  return segments
}

/** Pairs the lines of a segment in order where it has as many of both kinds; others have nothing that they replace. */
function fitSegment({ removed, added }: Segment, pairs: readonly IndentPair[]): readonly (string | null)[] {
  const isPaired = removed.length === added.length
  return added.map((text, index) => {
    const replaced = isPaired ? removed[index] : removed.find(({ patch }) => patch === text)
    if (replaced !== undefined) return inPlaceOf(replaced, text, pairs)
    return removed.some((line) => hasLookAlike(line, text)) ? null : indented(text, pairs)
  })
}

/** Tests if a line of the file has a typographic character where a text has the plain one that stands for it. */
function hasLookAlike({ patch, file }: SharedLine, text: string): boolean {
  return lookAlikes({ patch: patch.trim(), file: file.trim() }).some((plain) => text.trim().includes(plain))
}

function indented(text: string, pairs: readonly IndentPair[]): string | null {
  const content = text.trimStart()
  const indent = mapIndentation(pairs, indentOf(text))
  if (content === '') return indent ?? ''
  return indent === null ? null : indent + content
}

/** Returns a line that replaces another one, with all of the file's characters that the patch does not change. */
function inPlaceOf({ patch, file }: SharedLine, text: string, pairs: readonly IndentPair[]): string | null {
  const indent = indentOf(patch) === indentOf(text) ? indentOf(file) : mapIndentation(pairs, indentOf(text))
  if (text.trim() === '') return indent ?? ''
  const content = fitContent({ patch: patch.trim(), file: file.trim() }, text.trim())
  if (indent === null || content === null) return null
  // A line that is removed and added again can only lose the blanks at its end.
  const keepsEnd = text !== patch && endBlanks(text) === endBlanks(patch)
  return indent + content + endBlanks(keepsEnd ? file : text)
}

function endBlanks(text: string): string {
  return text.slice(text.trimEnd().length)
}

/**
 * Fills in the characters of the file, guided by the common beginning and end of the replaced and the new content, and
 * by their order.
 */
function fitContent({ patch, file }: SharedLine, text: string): string | null {
  const shorter = Math.min(patch.length, text.length)
  let head = 0
  while (head < shorter && patch[head] === text[head]) head += 1
  let tail = 0
  while (tail < shorter - head && patch.at(-1 - tail) === text.at(-1 - tail)) tail += 1
  const changed = { patch: patch.slice(head, patch.length - tail), file: file.slice(head, file.length - tail) }
  const middle = fitChanged(changed, text.slice(head, text.length - tail))
  return middle === null ? null : file.slice(0, head) + middle + file.slice(file.length - tail)
}

/** Gives each plain character the file's form: the first gets the form of the first, where there are as many. */
function fitChanged({ patch, file }: SharedLine, text: string): string | null {
  let fitted = text
  for (const plain of lookAlikes({ patch, file })) {
    const forms = file.split('').filter((_, index) => patch[index] === plain)
    const pieces = fitted.split(plain)
    if (pieces.length === 1) continue
    if (pieces.length - 1 !== forms.length) return null
    fitted = pieces.map((piece, index) => piece + (forms[index] ?? '')).join('')
  }
  return fitted
}

/** Returns the plain characters of a patch for which the file has typographic ones. */
function lookAlikes({ patch, file }: SharedLine): readonly string[] {
  return [...new Set(patch.split('').filter((character, index) => file[index] !== character))]
}
