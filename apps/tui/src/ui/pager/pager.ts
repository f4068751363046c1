import { wholeFileOf } from '@parley/presentation/items/item-text'
import type { Room } from '@parley/presentation/text/span'
import type { ConversationState, Item, OpenItem } from '@parley/protocol'
import type { CodeBlock } from '../../view/pager/copied-text.ts'
import type { FileChunk, PagerEntry } from '../../view/pager/entry.ts'
import { type PagePosition, type PageRoom, type PagerPage, pageAt } from '../../view/pager/page.ts'
import { chunkCount, type FileChunks } from './file-chunks.ts'
import { gapId, type History, openHistory } from './history.ts'

/** Entries of the transcript view, as far as they are read. */
export interface PagerContent {
  readonly history: History
  readonly running: readonly Item[]
  readonly files: ReadonlyMap<string, FileChunks>
  readonly folds: Folds
  /** Reasons why gaps and chunks could not be read, by id. */
  readonly problems: ReadonlyMap<string, string>
}

/** Place of the transcript view among its entries. */
export interface PagerPlace {
  /** First row on the screen; null while the newest rows are followed. */
  readonly top: PagePosition | null
  /** Item that keys are about; null while the newest is followed. */
  readonly cursor: string | null
}

/** State of the transcript view. Immutable; `updatePager` returns the next one. */
export interface Pager extends PagerContent, PagerPlace {
  /** Number of all finished items of the conversation. */
  readonly itemCount: number
  /** True if the last move went upwards: items read then end where the view did. */
  readonly isMovingUp: boolean
  /** Text found last; empty before a search. */
  readonly query: string
  readonly direction: Direction
  /** Match found last, as a row of the whole item; null before a search. */
  readonly found: PagePosition | null
  readonly prompt: Prompt | null
  readonly quest: Quest | null
  /** Ids of gaps and chunks that are being read. */
  readonly reading: ReadonlySet<string>
  /** Result of the last key, shown until the next. */
  readonly note: string | null
  readonly isHelpShown: boolean
}

export type Direction = 'up' | 'down'

/** Items opened and folded by hand, and the rule for all others. */
export interface Folds {
  readonly opened: ReadonlySet<string>
  readonly closed: ReadonlySet<string>
  readonly all: boolean
  readonly reasoning: boolean
}

/** Question in the last row. */
type Prompt =
  | { readonly kind: 'search'; readonly text: string }
  /** Choice of a block of code to copy, by its number. */
  | { readonly kind: 'blocks'; readonly blocks: readonly CodeBlock[] }

/** Search that may have to read more: for the query or for a message of the user. */
export interface Quest {
  readonly kind: 'match' | 'turn'
  readonly direction: Direction
  /** Place where it began. */
  readonly origin: PagePosition
  /** Place to go on from, without it; rows are counted in the whole entry. */
  readonly from: PagePosition
  /** Items and chunks looked through so far. */
  readonly seen: number
  /** True if the other direction is tried when nothing is found. */
  readonly turns: boolean
}

/** Size of the terminal, the cells of its characters, and what colours code. */
export interface PagerSize extends Room {
  readonly rows: number
}

const nothingFolded: Folds = { opened: new Set(), closed: new Set(), all: false, reasoning: false }

export function openPager(state: ConversationState): Pager {
  return {
    history: openHistory(state),
    running: runningItems(state),
    itemCount: state.core.counts.items,
    files: new Map(),
    folds: nothingFolded,
    top: null,
    cursor: null,
    isMovingUp: false,
    query: '',
    direction: 'down',
    found: null,
    prompt: null,
    quest: null,
    reading: new Set(),
    problems: new Map(),
    note: null,
    isHelpShown: false,
  }
}

/** Returns the items that run, with their output so far. */
export function runningItems({ core }: ConversationState): readonly Item[] {
  return Object.values(core.open).map(withOutput)
}

const outputs = new WeakMap<OpenItem, Item>()

function withOutput(open: OpenItem): Item {
  const { item, output: head, progress } = open
  const hasOutput = item.type === 'commandExecution' || item.type === 'shellCommand' || item.type === 'toolCall'
  if (!hasOutput || head === '') return item
  const known = outputs.get(open)
  if (known !== undefined) return known
  const tail = progress?.tail ?? ''
  const totalBytes = Math.max(progress?.totalBytes ?? 0, head.length + tail.length)
  const shown = { ...item, output: { head, tail, totalBytes, omittedBytes: totalBytes - head.length - tail.length } }
  outputs.set(open, shown)
  return shown
}

/** Returns the visible entries, from top to bottom. */
export function entriesOf(content: PagerContent): readonly PagerEntry[] {
  const { history, running, problems } = content
  return [
    ...history.flatMap((part): readonly PagerEntry[] =>
      part.kind === 'items'
        ? part.items.flatMap(({ item }) => itemEntries(content, item))
        : [{ ...part, id: gapId(part), problem: problems.get(gapId(part)) ?? null }],
    ),
    ...running.flatMap((item) => itemEntries(content, item)),
  ]
}

/** Returns the room and the entries that pages are laid out from. The last row has the keys. */
export function roomOf(content: PagerContent, { columns, rows, ...colours }: PagerSize): PageRoom {
  const room = { columns: Math.max(1, columns - marginCells), height: Math.max(1, rows - 1) }
  return { entries: entriesOf(content), ...room, ...colours }
}

/** Cells left of all rows, which mark the item at the cursor. */
export const marginCells = 2

export function pageOn(room: PageRoom, { top }: PagerPlace): PagerPage {
  return pageAt(room, top)
}

function itemEntries(content: PagerContent, item: Item): readonly PagerEntry[] {
  const isOpened = isItemOpened(content.folds, item)
  const entry = { kind: 'item', id: item.id, item, isOpened } as const
  const whole = isOpened ? wholeFileOf(item) : null
  return whole === null ? [entry] : [entry, ...chunkEntries(content, item, whole)]
}

function chunkEntries(
  { files, problems }: PagerContent,
  { id: itemId }: Item,
  { file, totalBytes }: { readonly file: string; readonly totalBytes: number },
): readonly PagerEntry[] {
  const known = files.get(file)
  const count = chunkCount(known?.totalBytes ?? totalBytes)
  const lost = Math.max(0, totalBytes - (known?.totalBytes ?? totalBytes))
  return Array.from({ length: count }, (_, index) => {
    const id = `${itemId} ${index}`
    const chunk: FileChunk | null = known?.chunks.get(index) ?? null
    return {
      kind: 'chunk',
      id,
      itemId,
      file,
      index,
      chunk,
      lostBytes: index === count - 1 ? lost : 0,
      problem: problems.get(id) ?? null,
    } as const
  })
}

export function isItemOpened({ opened, closed, all, reasoning }: Folds, { id, type }: Item): boolean {
  if (opened.has(id)) return true
  return !closed.has(id) && (all || (reasoning && type === 'reasoning'))
}

export function withOpened(folds: Folds, id: string): Folds {
  const closed = new Set(folds.closed)
  closed.delete(id)
  return { ...folds, closed, opened: new Set(folds.opened).add(id) }
}

export function withClosed(folds: Folds, id: string): Folds {
  const opened = new Set(folds.opened)
  opened.delete(id)
  return { ...folds, opened, closed: new Set(folds.closed).add(id) }
}

/** Returns the item at the cursor; null without a cursor. */
export function itemAtCursor(room: PageRoom, { cursor }: PagerPlace): Item | null {
  const found = room.entries.findLast(({ kind, id }) => kind === 'item' && (cursor === null || id === cursor))
  return found?.kind === 'item' ? found.item : null
}
