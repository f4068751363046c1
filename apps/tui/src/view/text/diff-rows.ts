import type { DiffLine } from '@parley/presentation/text/diff'
import {
  type Ground,
  type Line,
  lineText,
  narrowed,
  type OffsetRange,
  type Room,
  type Span,
  sliceLine,
  type Tone,
} from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { changedWords } from './changed-words.ts'
import { wrapLine } from './fit-rows.ts'
import { filled } from './gutter.ts'

/** Columns from which a diff has the numbers of both sides. */
const wideColumns = 100

const edge: Span = { text: '│', tone: 'muted' }
const looks: Readonly<Record<Changed['kind'], { mark: string; tone: Tone; ground: Ground; word: Ground }>> = {
  added: { mark: '+', tone: 'good', ground: 'added', word: 'addedWord' },
  removed: { mark: '-', tone: 'bad', ground: 'removed', word: 'removedWord' },
}

type Changed = DiffLine & { readonly kind: 'added' | 'removed' }

interface Layout {
  readonly room: Room
  /** Digits of the largest line number. */
  readonly digits: number
  readonly hasBothNumbers: boolean
}

/**
 * Returns the diff as rows: line numbers, marker, text. Changed words stand out, and code has its colours. `path`: file
 * that decides the language, unless the diff names files itself.
 */
export function renderDiff(lines: readonly DiffLine[], room: Room, path = ''): readonly Line[] {
  const largest = lines.reduce((most, line) => Math.max(most, line.newLine ?? 0, line.oldLine ?? 0), 0)
  const layout = { room, digits: String(largest).length, hasBothNumbers: room.columns >= wideColumns }
  const texts = styledTexts(lines, room, path)
  return lines.flatMap((line, index) => {
    if (line.kind === 'file') return wrapLine([{ text: line.text, bold: true }], room)
    if (line.kind === 'hunk') return isFirstHunk(lines, index) ? [] : [gapRow(layout)]
    if (line.kind === 'note') return wrapLine([{ text: line.text, tone: 'muted' }], room)
    return lineRows(line, texts.get(index) ?? [{ text: line.text }], layout)
  })
}

function isFirstHunk(lines: readonly DiffLine[], index: number): boolean {
  return index === 0 || lines[index - 1]?.kind === 'file'
}

/** Returns the row between two hunks. */
function gapRow({ digits, hasBothNumbers }: Layout): Line {
  return [{ text: '⋯'.padStart(hasBothNumbers ? 2 * digits + 1 : digits), tone: 'muted' }]
}

function lineRows(line: DiffLine, text: Line, layout: Layout): readonly Line[] {
  const { room } = layout
  const numbers = numbersOf(line, layout)
  const prefix = numbers.length + cellWidth(edge.text, room.ambiguous) + 2
  const rows = wrapLine(text, { ...narrowed(room, prefix), mode: 'anywhere', hang: 0 })
  const look = line.kind === 'added' || line.kind === 'removed' ? looks[line.kind] : null
  return rows.map((row, index) => {
    const gutter: Span = { text: index === 0 ? numbers : ' '.repeat(numbers.length), tone: 'muted' }
    const mark = index === 0 ? (look?.mark ?? ' ') : '↪'
    if (look === null) return [gutter, edge, { text: `${mark} `, tone: 'muted' }, ...row]
    const shown: Line = [gutter, edge, { text: `${mark} `, tone: look.tone, ground: look.ground }, ...row]
    return filled(shown, look.ground, room)
  })
}

function numbersOf({ oldLine, newLine }: DiffLine, { digits, hasBothNumbers }: Layout): string {
  const column = (line: number | undefined) => `${line ?? ''}`.padStart(digits)
  return hasBothNumbers ? `${column(oldLine)} ${column(newLine)} ` : `${column(newLine ?? oldLine)} `
}

/** Returns the texts of content lines by index, with the colours of code and the grounds of changes. */
function styledTexts(lines: readonly DiffLine[], room: Room, path: string): ReadonlyMap<number, Line> {
  const code = colouredLines(lines, room, path)
  const words = wordsByLine(lines)
  return new Map(
    [...lines.entries()].flatMap(([index, line]): readonly (readonly [number, Line])[] => {
      const text = code.get(index) ?? [{ text: line.text }]
      if (line.kind === 'context') return [[index, text]]
      if (line.kind !== 'added' && line.kind !== 'removed') return []
      return [[index, onGrounds(text, line.kind, words.get(index) ?? [])]]
    }),
  )
}

function onGrounds(text: Line, kind: Changed['kind'], words: readonly OffsetRange[]): Line {
  const { ground, word } = looks[kind]
  const put = (from: number, to: number, on: Ground) =>
    sliceLine(text, from, to).map((span): Span => ({ ...span, ground: on }))
  const spans: Span[] = []
  let offset = 0
  for (const { start, end } of words) {
    for (const span of [...put(offset, start, ground), ...put(start, end, word)]) spans.push(span)
    offset = end
  }
  return [...spans, ...put(offset, lineText(text).length, ground)]
}

/** Returns the changed words of removed lines and of the lines added in their place. */
function wordsByLine(lines: readonly DiffLine[]): ReadonlyMap<number, readonly OffsetRange[]> {
  const words = new Map<number, readonly OffsetRange[]>()
  for (let start = 0; start < lines.length; start++) {
    if (lines[start]?.kind !== 'removed') continue
    const middle = endOf(lines, start, 'removed')
    const end = endOf(lines, middle, 'added')
    let next = middle
    for (let removed = start; removed < middle; removed++) {
      const best = mostAlike(lines, removed, { from: next, to: Math.min(end, next + maxDistance) })
      if (best === null) continue
      words.set(removed, best.removed)
      words.set(best.line, best.added)
      next = best.line + 1
    }
    start = end - 1
  }
  return words
}

/** Added lines that are compared with a removed one. */
const maxDistance = 8

/**
 * Returns the words that differ between the removed line and the most similar added one; null without a similar one.
 */
function mostAlike(lines: readonly DiffLine[], removed: number, { from, to }: { from: number; to: number }) {
  const found = lines.slice(from, to).flatMap(({ text }, index) => {
    const words = changedWords(lines[removed]?.text ?? '', text)
    return words === null ? [] : [{ ...words, line: from + index }]
  })
  return found.toSorted((one, other) => other.same - one.same)[0] ?? null
}

function endOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let end = from
  while (lines[end]?.kind === kind) end += 1
  return end
}

/** Returns the lines in the colours of their language: each side of a hunk is read as one piece of code. */
function colouredLines(lines: readonly DiffLine[], room: Room, path: string): ReadonlyMap<number, Line> {
  const coloured = new Map<number, Line>()
  const { highlight } = room
  if (highlight === undefined) return coloured
  let language = languageOf(path)
  let hunk: number[] = []
  const finish = () => {
    if (hunk.length === 0) return
    for (const gone of ['added', 'removed'] as const) {
      const side = hunk.filter((index) => lines[index]?.kind !== gone)
      const found = highlight(
        side.map((index) => lines[index]?.text ?? ''),
        language,
      )
      for (const [at, index] of side.entries()) {
        const line = found?.[at]
        if (line !== undefined) coloured.set(index, line)
      }
    }
    hunk = []
  }
  for (const [index, line] of lines.entries()) {
    if (line.kind === 'file' || line.kind === 'hunk') finish()
    if (line.kind === 'file') language = languageOf(line.text)
    if (line.kind === 'context' || line.kind === 'added' || line.kind === 'removed') hunk.push(index)
  }
  finish()
  return coloured
}

/** Returns the part of a file's name that tells its language: the ending, or the whole name without an ending. */
function languageOf(path: string): string {
  const name = path.trim().split('/').at(-1) ?? ''
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}
