import { describeNearest } from './find-lines.ts'
import { encodeTextFile, type TextFile, textOfFile } from './text-file.ts'

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

/** Replaces a text. In a file with CRLF the texts may have either line end, and the file keeps its own. */
export function replaceText({ path, file, quoting }: Replaced, { old, new: text, all }: Replacement): ReplacedText {
  const content = textOfFile(file)
  const usesCrlf = hasOnlyCrlf(file)
  const inLines = (one: string) => (usesCrlf ? withoutCrlf(one) : one)
  const source = inLines(content)
  const wanted = inLines(old)
  const inserted = inLines(text)
  if (wanted === '' && source !== '') return isEmptyOld(path)
  if (wanted === inserted) return isSame(path)
  const places = occurrences(source, wanted)
  if (places.length === 0) return notThere(path, wanted, quoting ? source : null)
  const [first = 0] = places
  const change = { source, wanted, inserted }
  if (!all && !isSameAtEach(places, change)) return ambiguous(path, source, quoting ? places : [])
  const replaced = all && wanted !== '' ? source.split(wanted).join(inserted) : replacedAt(first, change)
  const lines = [{ text: usesCrlf ? withCrlf(replaced) : replaced, end: '' as const }]
  return { ok: true, bytes: encodeTextFile({ ...file, lines }) }
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

/** Returns the offsets of a text, those that overlap too; one at the start for an empty text. */
function occurrences(source: string, wanted: string): readonly number[] {
  const found: number[] = []
  if (wanted === '') return [0]
  for (let at = source.indexOf(wanted); at >= 0; at = source.indexOf(wanted, at + 1)) found.push(at)
  return found
}

interface Change {
  readonly source: string
  readonly wanted: string
  readonly inserted: string
}

function replacedAt(at: number, { source, wanted, inserted }: Change): string {
  return source.slice(0, at) + inserted + source.slice(at + wanted.length)
}

/** Tests if the file becomes the same at whichever place, as where one of two equal lines next to each other is removed. */
function isSameAtEach(places: readonly number[], { source, wanted, inserted }: Change): boolean {
  return places.slice(1).every((next, index) => {
    const place = places[index] ?? next
    const start = { source: source.slice(place, next + wanted.length), wanted, inserted }
    return replacedAt(0, start) === replacedAt(next - place, start)
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

function ambiguous(path: string, source: string, places: readonly number[]): ReplacedText {
  const lines = places.map((at) => source.slice(0, at).split('\n').length)
  const where = lines.length === 0 ? '' : `, at line ${lines.slice(0, 5).join(', ')}${lines.length > 5 ? ' …' : ''}`
  const times = places.length === 0 ? 'more than once' : `${places.length} times`
  const message = `The text to replace is in ${path} ${times}${where}. Give more of the text around the one you mean, or replace all of them with all: true.`
  return { ok: false, code: 'ambiguousPlace', message }
}
