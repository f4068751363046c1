import type { Block } from './block.ts'
import type { Line } from './span.ts'

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** What is to be on the screen: blocks to add to the transcript, and the rows below it that are drawn anew. */
export interface Screen {
  /** New since the screen before; printed once. */
  readonly settled: readonly Block[]
  /** At most `rows - 2` of them. */
  readonly live: readonly Line[]
  /** Where the caret is, within `live`; null when there is nothing to write. */
  readonly caret: Caret | null
  /** The approval that can be answered by what is painted. */
  readonly approvalId: string | null
  /** All of what a yes to it would allow is on the screen, or has been printed. */
  readonly isSeen: boolean
  /** When the screen changes by time alone, in ms since the epoch. */
  readonly changesAtMs: number | null
}

export interface Caret {
  readonly row: number
  readonly column: number
}
