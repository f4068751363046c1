import { showEffects } from '@parley/presentation/text/control-characters'
import { count } from '@parley/presentation/text/formats'
import { type Line, lineText, type Span } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import { greatest } from '@parley/text'
import { pagerKeyGroup } from '../ui/keys/key-words.ts'
import { itemAtCursor, marginCells, type Pager, type PagerSize, pageOn, roomOf } from '../ui/pager/pager.ts'
import { ownerOf } from './pager/entry.ts'
import { highlighted } from './pager/find-text.ts'
import type { PageRoom, PagerPage } from './pager/page.ts'
import { fittingParts } from './text/fit-rows.ts'
import { inGutter } from './text/gutter.ts'

/** State around the view that its last row says. */
export interface PagerSurroundings {
  /** True while a question of the conversation waits, which only the screen behind the view answers. */
  readonly isAsked: boolean
  readonly isLost: boolean
}

/** Returns the rows of the transcript view, as many as the terminal has. */
export function pagerScreen(pager: Pager, size: PagerSize, around: PagerSurroundings): readonly Line[] {
  const room = roomOf(pager, size)
  const page = pageOn(room, pager)
  const rows = pager.isHelpShown ? helpRows(size) : pageLines(pager, room, page)
  const body = Array.from({ length: Math.max(0, size.rows - 1) }, (_, row) => rows[row] ?? [])
  const lines = [...body, lastRow(pager, { room, page, size }, around)]
  return lines.map((line) => truncateLine(line, size)).slice(-size.rows)
}

const current: Span = { text: '┃ ', tone: 'accent' }
const beside: Span = { text: ' '.repeat(marginCells) }

function pageLines(pager: Pager, room: PageRoom, { rows }: PagerPage): readonly Line[] {
  const cursor = itemAtCursor(room, pager)?.id
  return rows.map(({ line, index, row }) => {
    const entry = room.entries[index]
    const isGap = row === 0 && line.length === 0 && entry?.kind === 'item'
    const isCurrent = entry !== undefined && !isGap && ownerOf(entry) === cursor
    return [isCurrent ? current : beside, ...highlighted(inGutter(line, room), pager.query)]
  })
}

function helpRows({ ambiguous }: PagerSize): readonly Line[] {
  const { title, rows } = pagerKeyGroup()
  const columns = greatest(rows.map(([keys]) => cellWidth(keys, ambiguous)))
  return [
    [beside, { text: title, bold: true }],
    [],
    ...rows.map(
      ([keys, words]): Line => [
        beside,
        { text: keys + ' '.repeat(columns + 2 - cellWidth(keys, ambiguous)) },
        { text: words, tone: 'muted' },
      ],
    ),
  ]
}

interface ShownPage {
  readonly size: PagerSize
  readonly room: PageRoom
  readonly page: PagerPage
}

/** Returns the last row: the answer to a key, else waiting questions, the position of the view, and keys. */
function lastRow(pager: Pager, shown: ShownPage, { isAsked, isLost }: PagerSurroundings): Line {
  const { prompt, quest, note } = pager
  if (prompt?.kind === 'search')
    return [{ text: '/', tone: 'accent', bold: true }, { text: showEffects(prompt.text) }, { text: '▏' }]
  if (prompt?.kind === 'blocks') return blocksRow(prompt.blocks)
  if (quest !== null) return [warned(`searching, ${count(quest.seen)} looked through · Esc stops`)]
  const asked = isAsked
    ? [{ text: ' A question waits: q shows it ', tone: 'warn', bold: true, inverse: true } as const, muted('  ')]
    : []
  if (note !== null) return [...asked, { text: showEffects(note).replaceAll('\n', ' ') }]
  const lost = isLost ? [warned('the server is gone · ')] : []
  const before: Line = [...asked, ...lost, muted(placeWords(pager, shown))]
  const columns = shown.size.columns - cellWidth(lineText(before), shown.size.ambiguous)
  return [...before, muted(fittingParts(['', ...hints], { ...shown.size, columns }))]
}

const hints = ['q leaves', '? keys', '/ search', 'Enter opens', 'c copies', '[ ] your messages']

/** Blocks offered at most, one digit each. */
const offeredBlocks = 9

function blocksRow(blocks: readonly { readonly label: string }[]): Line {
  const offered = blocks.slice(0, offeredBlocks).map(({ label }, index) => `${index + 1} ${showEffects(label)}`)
  return [{ text: 'copy which code? ', bold: true }, { text: offered.join(' · ') }, muted(' · Esc none')]
}

/** Returns the number of the item at the cursor, where all items to one side of it are known. */
function placeWords(pager: Pager, { room, page }: ShownPage): string {
  const { entries } = room
  const cursor = itemAtCursor(room, pager)?.id
  const at = entries.findIndex(({ id }) => id === cursor)
  const total = pager.itemCount + pager.running.length
  const below = entries.slice(at + 1)
  const above = entries.slice(0, at)
  const items = (list: typeof entries) => list.filter(({ kind }) => kind === 'item').length
  const hasGap = (list: typeof entries) => list.some(({ kind }) => kind === 'gap')
  const number = !hasGap(below) ? total - items(below) : hasGap(above) ? null : items(above) + 1
  const where = page.isAtEnd ? 'end' : page.isAtStart ? 'beginning' : ''
  const words =
    at === -1 ? `${count(total)} items` : number === null ? `of ${count(total)}` : `${count(number)} of ${count(total)}`
  return where === '' ? words : `${words}, ${where}`
}

function muted(text: string): Span {
  return { text, tone: 'muted' }
}

function warned(text: string): Span {
  return { text, tone: 'warn' }
}
