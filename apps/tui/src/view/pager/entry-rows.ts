import { wholeFileOf } from '@parley/presentation/items/item-text'
import { lookedAt } from '@parley/presentation/items/looked-at'
import { formatBytes } from '@parley/presentation/text/formats'
import { type Line, lineText, type Room } from '@parley/presentation/text/span'
import type { Item } from '@parley/protocol'
import { indented, textRows } from '../text/gutter.ts'
import { type BlockKind, gapBefore, type TranscriptBlock } from '../transcript/block.ts'
import { itemBlock } from '../transcript/item-block.ts'
import { lookUpBlock } from '../transcript/look-ups.ts'
import type { ChunkEntry, FileChunk, GapEntry, ItemEntry, PagerEntry } from './entry.ts'
import { openedRows, plainRows } from './opened-rows.ts'

interface Laid {
  readonly columns: number
  readonly highlight: Room['highlight']
  readonly ambiguous: Room['ambiguous']
  readonly lines: readonly Line[]
  readonly kind: BlockKind
}

/** Rows of items by identity, folded and opened, for the width that they were asked for last. */
const folded = new WeakMap<object, Laid>()
const opened = new WeakMap<object, Laid>()

/** Returns the rows of an entry; an item begins with a blank row where the transcript has one. */
export function entryRows(entry: PagerEntry, previous: PagerEntry | undefined, room: Room): readonly Line[] {
  switch (entry.kind) {
    case 'item': {
      const { lines, kind } = laidItem(entry, room)
      if (lines.length === 0) return lines
      const last = previous?.kind === 'item' ? laidItem(previous, room).kind : previous === undefined ? null : 'report'
      return [...gapBefore(last, kind), ...lines]
    }
    case 'gap':
      return gapRows(entry, room)
    case 'chunk':
      return chunkRows(entry, room)
  }
}

/** Returns true if the transcript hides a part of the item that is no look-up and no reasoning. */
export function isFolded(item: Item, room: Room): boolean {
  if (item.type === 'reasoning' || lookedAt(item) !== null) return false
  if (wholeFileOf(item) !== null) return true
  return laidOut(opened, item, room).lines.length > laidOut(folded, item, room).lines.length
}

/** Returns all rows of an item as it is when opened, to search them. */
export function searchedRows(item: Item, room: Room): readonly Line[] {
  return laidOut(opened, item, room).lines
}

/** Returns the row of an item as it is shown for a row of the whole item; null if folding hides it. */
export function shownRow({ item, isOpened }: ItemEntry, row: number, room: Room): number | null {
  if (isOpened) return row
  const line = laidOut(opened, item, room).lines[row]
  const found =
    line === undefined ? -1 : laidOut(folded, item, room).lines.findIndex((shown) => lineText(shown) === lineText(line))
  return found === -1 ? null : found
}

function laidItem({ item, isOpened }: ItemEntry, room: Room): Laid {
  return laidOut(isOpened ? opened : folded, item, room)
}

function laidOut(cache: WeakMap<object, Laid>, item: Item, room: Room): Laid {
  const known = cache.get(item)
  if (known !== undefined && isLaidFor(known, room)) return known
  const { kind, lines } = foldedBlock(item, room)
  const { columns, highlight, ambiguous } = room
  const laid = { columns, highlight, ambiguous, kind, lines: cache === opened ? openedRows(item, room) : lines }
  cache.set(item, laid)
  return laid
}

function isLaidFor({ columns, highlight, ambiguous }: Laid, room: Room): boolean {
  return columns === room.columns && highlight === room.highlight && ambiguous === room.ambiguous
}

/** Returns the block of an item as the transcript has it; a look-up has a row of its own. */
function foldedBlock(item: Item, room: Room): TranscriptBlock {
  const looked = lookedAt(item)
  return looked === null ? itemBlock(item, room) : lookUpBlock([looked], room)
}

function gapRows({ problem }: GapEntry, room: Room): readonly Line[] {
  const text = problem === null ? '… reading earlier items' : `… earlier items cannot be read: ${problem}`
  return indented(textRows(text, room, { tone: problem === null ? 'muted' : 'bad' }))
}

function chunkRows({ chunk, lostBytes, problem }: ChunkEntry, room: Room): readonly Line[] {
  if (chunk === null) {
    const text = problem === null ? '… reading more' : `… more of it cannot be read: ${problem}`
    return indented(textRows(text, room, { tone: problem === null ? 'muted' : 'bad' }))
  }
  const lines = chunkLines(chunk, room)
  if (lostBytes === 0) return lines
  const lost = `… ${formatBytes(lostBytes)} more were not kept`
  return [...lines, ...indented(textRows(lost, room, { tone: 'muted' }))]
}

function chunkLines(chunk: FileChunk, room: Room): readonly Line[] {
  const known = folded.get(chunk)
  if (known !== undefined && isLaidFor(known, room)) return known.lines
  const lines = plainRows(chunk.text, room)
  folded.set(chunk, {
    columns: room.columns,
    highlight: room.highlight,
    ambiguous: room.ambiguous,
    lines,
    kind: 'call',
  })
  return lines
}
