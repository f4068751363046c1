import { changeOf, editAt, isClosed, replaceLines } from '../place/edit-lines.ts'
import { describeNearest, findLines } from '../place/find-lines.ts'
import { fitLines } from '../place/fit-lines.ts'
import { encodeTextFile, type TextFile, textOfFile } from '../place/text-file.ts'
import { replacedInOwnEnds, replacedText, type TextChange } from './own-ends.ts'

/** Replacement of an exact text in a file. */
export interface Replacement {
  readonly kind: 'replace'
  readonly path: string
  /** Exact text; empty only for a file that is missing or empty. */
  readonly old: string
  readonly new: string
  /** Replaces every occurrence; without it there must be one only. */
  readonly all: boolean
}

export type ReplacedText =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: 'linesNotFound' | 'ambiguousPlace' | 'nothingToDo'; readonly message: string }

interface Replaced {
  readonly path: string
  readonly file: TextFile
  /** True when failures may quote the file. */
  readonly quoting: boolean
}

/**
 * Replaces a text; the file keeps the line ends of its lines, unless only they are to change. Without an exact match,
 * the text may be whole lines that fit leniently, like the lines of a patch: they keep the characters of the file.
 */
export function replaceText({ path, file, quoting }: Replaced, { old, new: text, all }: Replacement): ReplacedText {
  const ends = endsOf(file)
  const isOfEnds = old !== text && withoutCrlf(old) === withoutCrlf(text)
  const inLines = (one: string) => (ends.has('\r\n') && !isOfEnds ? withoutCrlf(one) : one)
  const source = inLines(textOfFile(file))
  const [wanted, inserted] = [inLines(old), inLines(text)]
  if (wanted === '' && source !== '') return isEmptyOld(path)
  if (wanted === inserted) return isSame(path)
  const found = occurrences(source, wanted)
  const change = { source, wanted, inserted }
  if (found.length === 0 && isOfEnds) return isSame(path)
  if (found.length === 0) return lenientlyReplaced({ path, file, quoting }, { ...change, all })
  if (!all && !isSameAtEach(found, change, file))
    return ambiguous(path, quoting ? linesAt(source, found) : [], found.length)
  const places = all ? apart(found, wanted.length) : found.slice(0, 1)
  if (ends.size > 1 && !isOfEnds) return replacedFile(replacedInOwnEnds(file, { ...change, places }))
  const replaced = replacedText({ ...change, places })
  const lines = [{ text: ends.has('\r\n') && !isOfEnds ? withCrlf(replaced) : replaced, end: '' as const }]
  return replacedFile({ ...file, lines })
}

function replacedFile(file: TextFile): ReplacedText {
  return { ok: true, bytes: encodeTextFile(file) }
}

function endsOf({ lines }: TextFile): ReadonlySet<string> {
  return new Set(lines.flatMap(({ end }) => (end === '' ? [] : [end])))
}

/** Leaves out offsets of texts that overlap with one before. */
function apart(places: readonly number[], length: number): readonly number[] {
  const kept: number[] = []
  for (const at of places) if (at >= (kept.at(-1) ?? -length) + length) kept.push(at)
  return kept
}

type Change = Omit<TextChange, 'places'>

/** Replaces whole lines that are in the file once, but for indentation, blanks at their ends, quotes and dashes. */
function lenientlyReplaced(
  { path, file, quoting }: Replaced,
  { source, wanted, inserted, all }: Change & { readonly all: boolean },
): ReplacedText {
  const missing = () => notThere(path, wanted, quoting ? source : null)
  const [before, after] = [wholeLines(wanted, wanted), wholeLines(wanted, inserted)]
  if (all || before === null || after === null) return missing()
  const texts = file.lines.map(({ text }) => text)
  const starts = findLines({ lines: texts, wanted: before, from: 0 })
  const [start] = starts
  if (start === undefined) return missing()
  if (starts.length > 1) return ambiguous(path, quoting ? starts.map((one) => one + 1) : [], starts.length)
  const lines = fitLines(changeOf(before, after), texts.slice(start, start + before.length))
  if (lines === null) return missing()
  const edits = [editAt(file, { start, lines })]
  return replacedFile({ ...file, lines: replaceLines(file.lines, edits, isClosed(file.lines)) })
}

/** Returns the lines of a text that takes the place of whole lines; null where it would join the last one with the next. */
function wholeLines(replaced: string, text: string): readonly string[] | null {
  if (!replaced.endsWith('\n')) return text.split('\n')
  if (text === '') return []
  return text.endsWith('\n') ? text.slice(0, -1).split('\n') : null
}

/** Returns a whole new text in the line ends and with the byte order mark of the file that it replaces. */
export function inFormOf(file: TextFile, content: string): Uint8Array {
  const text = hasOnlyCrlf(file) ? withCrlf(withoutCrlf(content)) : content
  const hasByteOrderMark = file.hasByteOrderMark && !content.startsWith('\uFEFF')
  return encodeTextFile({ hasByteOrderMark, lines: [{ text, end: '' }] })
}

function hasOnlyCrlf({ lines }: TextFile): boolean {
  return lines.some(({ end }) => end === '\r\n') && lines.every(({ end }) => end !== '\n')
}

function withoutCrlf(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function withCrlf(text: string): string {
  return text.replaceAll('\n', '\r\n')
}

/** Returns the offsets of a text, overlapping matches too; only the start for an empty text. */
function occurrences(source: string, wanted: string): readonly number[] {
  const found: number[] = []
  if (wanted === '') return [0]
  for (let at = source.indexOf(wanted); at >= 0; at = source.indexOf(wanted, at + 1)) found.push(at)
  return found
}

/** Tests if the file becomes the same at whichever place, as where one of two equal lines next to each other is removed. */
function isSameAtEach(places: readonly number[], { source, wanted, inserted }: Change, file: TextFile): boolean {
  if (places.length > 1 && hasTwoEnds(file, linesAt(source, places))) return false
  return places.slice(1).every((next, index) => {
    const place = places[index] ?? next
    const start = { source: source.slice(place, next + wanted.length), wanted, inserted }
    return replacedText({ ...start, places: [0] }) === replacedText({ ...start, places: [next - place] })
  })
}

function isEmptyOld(path: string): ReplacedText {
  const message = `The text to replace in ${path} is empty, and the file is not: give the exact text that stands there now.`
  return { ok: false, code: 'linesNotFound', message }
}

function isSame(path: string): ReplacedText {
  const message = `The new text for ${path} is the same as the old one, so there is nothing to change.`
  return { ok: false, code: 'nothingToDo', message }
}

function notThere(path: string, wanted: string, source: string | null): ReplacedText {
  const hint = source === null ? '' : describeNearest(source.split('\n'), wanted.split('\n'))
  return { ok: false, code: 'linesNotFound', message: `Failed to find the text to replace in ${path}.${hint}` }
}

/** Tests if some lines, numbered from 1, and the lines between them have different line ends. */
function hasTwoEnds({ lines }: TextFile, numbers: readonly number[]): boolean {
  const among = lines.slice((numbers[0] ?? 1) - 1, numbers.at(-1))
  return new Set(among.map(({ end }) => end)).size > 1
}

function linesAt(source: string, places: readonly number[]): readonly number[] {
  return places.map((at) => source.slice(0, at).split('\n').length)
}

function ambiguous(path: string, lines: readonly number[], count: number): ReplacedText {
  const where = lines.length === 0 ? '' : `, at line ${lines.slice(0, 5).join(', ')}${lines.length > 5 ? ' …' : ''}`
  const times = lines.length === 0 ? 'more than once' : `${count} times`
  const message = `The text to replace is in ${path} ${times}${where}. Give more of the text around the one you mean, or replace all of them with all: true.`
  return { ok: false, code: 'ambiguousPlace', message }
}
