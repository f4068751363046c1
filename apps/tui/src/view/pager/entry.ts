import type { Item } from '@parley/protocol'

/** Part of the transcript view, from top to bottom; its rows are laid out only near the screen. */
export type PagerEntry = ItemEntry | GapEntry | ChunkEntry

/** An item, finished or running. */
export interface ItemEntry {
  readonly kind: 'item'
  readonly id: string
  readonly item: Item
  /** True if all of it is shown. */
  readonly isOpened: boolean
}

/** Items that are in the log and not in memory. */
export interface GapEntry {
  readonly kind: 'gap'
  readonly id: string
  /** Seq of the last item above; 0 at the beginning of the conversation. */
  readonly after: number
  /** Seq of the first item below. */
  readonly before: number
  /** Reason why they cannot be read; null if they can, or nothing is known yet. */
  readonly problem: string | null
}

/** Part of a side file, below the item that it belongs to. */
export interface ChunkEntry {
  readonly kind: 'chunk'
  readonly id: string
  readonly itemId: string
  readonly file: string
  readonly index: number
  /** Text of it; null while it is not in memory. */
  readonly chunk: FileChunk | null
  /** Bytes that follow the end of the file and were not kept; 0 for other chunks. */
  readonly lostBytes: number
  readonly problem: string | null
}

/** Whole lines of a side file. */
export interface FileChunk {
  readonly text: string
}

/** Returns the item that a key on this entry is about; null for items that are not in memory. */
export function ownerOf(entry: PagerEntry): string | null {
  if (entry.kind === 'gap') return null
  return entry.kind === 'chunk' ? entry.itemId : entry.id
}
