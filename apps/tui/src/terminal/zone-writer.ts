import {
  cellBelowTop,
  firstRows,
  type Geometry,
  noRows,
  type PaintedRows,
  type Reflow,
  rowsAbove,
  rowsSurelyAbove,
} from '../view/erase-zone.ts'
import type { Position } from '../view/live-zone.ts'

export interface PaintedFrame {
  /** Rows to append to the transcript. */
  readonly settled: readonly string[]
  /** Rows of the live zone with their widths in cells; all fit in the terminal. */
  readonly rows: readonly string[]
  readonly widths: readonly number[]
  /** Cell of the caret, or the cell of a hidden cursor. */
  readonly cursor: Position
  readonly hasCaret: boolean
  /** Character in the caret's cell. */
  readonly caretText: string
  /** Width of the terminal that the frame was laid out for. */
  readonly columns: number
}

const beginFrame = '\x1b[?2026h\x1b[?25l'
const endFrame = '\x1b[?2026l'
const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'
const eraseRight = '\x1b[K'
const wrapOn = '\x1b[?7h'
const wrapOff = '\x1b[?7l'

/**
 * Erases everything from the cursor's row on. Starts one cell to the right, because tmux copies the screen to its history
 * when it is erased from the first cell on.
 */
const eraseBelow = '\r\x1b[2K\x1b[1C\x1b[J\r'

/** Widest row that no usual window wraps. */
const narrowColumns = 20

/**
 * Writes the live zone, and finished rows above it, at any size of the terminal: ways up are counted from the cursor's
 * own cell, which terminals keep, ways down are line feeds, and rows of the zone are cut at the edge.
 */
export class ZoneWriter {
  #write: (text: string) => void
  readonly #reflow: Reflow
  #rows: readonly string[] = []
  /** Rows on the terminal; the first `#staleCount` rows are in the scrollback. */
  #painted: PaintedRows = noRows
  #staleCount = 0
  /** Rows of the zone above the screen's first row at the last report of the cursor. */
  #hiddenCount = 0
  #isCursorShown = true
  /** False until rows are written, and again once another program has had the terminal. */
  #isWrapOff = false
  #frameCount = 0
  #hasBegun = false

  constructor(write: (text: string) => void, reflow: Reflow) {
    this.#write = write
    this.#reflow = reflow
  }

  /** Number of frames written; tells whether another followed. */
  get frameCount(): number {
    return this.#frameCount
  }

  /** True if a narrower window would wrap rows above the cursor, which would move it. */
  get isMovable(): boolean {
    const { widths, cursor } = this.#painted
    return widths.slice(this.#staleCount, cursor.row).some((width) => width > narrowColumns)
  }

  /** Returns the text that `draw` writes to this zone, to write it together with a question to the terminal. */
  collect(draw: () => void): string {
    const write = this.#write
    let text = ''
    this.#write = (more) => {
      text += more
    }
    try {
      draw()
    } finally {
      this.#write = write
    }
    return text
  }

  /**
   * Returns the number of rows to climb next: first the rows above the cursor at any width, then the `left` rows, one
   * by one if xterm.js may lose the cursor.
   */
  stepsUp(left: number | null): number {
    const sure = rowsSurelyAbove(this.#painted)
    return left !== null && (this.#reflow !== 'shift' || left < sure) ? left : sure
  }

  /** Returns the sequence that climbs these rows, or goes down if negative. */
  climb(steps: number): string {
    const text = steps === 0 ? '' : `\r${move(steps)}`
    return this.#reflow === 'shift' && this.#hasBegun ? hideCursor + text + eraseBelow : text
  }

  /** Writes a frame. The cursor must be on the cell where the previous frame, or `climbed`, left it. */
  paint(given: PaintedFrame): void {
    const frame = this.#reflow === 'shift' ? restingLowest(given) : given
    const text = frame.settled.length > 0 ? this.#printed(frame) : this.#changes(frame)
    if (text === '' && frame.hasCaret === this.#isCursorShown) return
    const before = (this.#hasBegun ? '' : '\r\n') + (this.#isWrapOff ? '' : wrapOff)
    this.#write(before + beginFrame + text + (frame.hasCaret ? showCursor : '') + endFrame)
    const stale = frame.settled.length > 0 ? [] : this.#painted.widths.slice(0, this.#staleCount)
    this.#rows = frame.rows
    this.#painted = { widths: [...stale, ...frame.widths], cursor: below(frame.cursor, stale.length) }
    this.#staleCount = stale.length
    this.#isCursorShown = frame.hasCaret
    this.#isWrapOff = true
    this.#hasBegun = true
    this.#frameCount += 1
  }

  /** Records the width of the terminal when it showed the last frame: it cut longer rows off. */
  cutAt(columns: number): void {
    const { widths, cursor } = this.#painted
    this.#painted = {
      widths: widths.map((width, row) => (row < this.#staleCount ? width : Math.min(width, columns))),
      cursor: { row: cursor.row, column: Math.min(cursor.column, columns - 1) },
    }
  }

  /**
   * Records that the cursor went up by `steps`, or down if negative, from the cell that the terminal has reported.
   * Returns the steps that are left to the zone's first row on the screen.
   */
  climbed(steps: number, at: Geometry): number {
    const above = rowsAbove(this.#painted, at, this.#reflow)
    const visible = Math.min(above, at.cursor?.row ?? above)
    const moved = Math.min(steps, at.cursor?.row ?? steps)
    const { widths } = this.#painted
    this.#painted = { widths, cursor: cellBelowTop(widths, above - moved, at.columns, this.#reflow) }
    if (this.#reflow === 'shift') this.#cutBelow()
    this.#hiddenCount = at.cursor === undefined ? 0 : above - visible
    return visible - moved
  }

  /** Erases everything from the cursor on, after `climbed` has brought it to the zone's first row on the screen. */
  eraseBelow({ columns }: Geometry): void {
    if (this.#hasBegun) this.#write(hideCursor + eraseBelow)
    this.#forget(firstRows(this.#painted.widths, this.#hiddenCount, columns, this.#reflow))
    this.#isCursorShown = false
  }

  /** Erases the live zone on a terminal of this size without asking where its cursor is. */
  erase(at: Geometry): void {
    const above = rowsAbove(this.#painted, at, this.#reflow)
    if (this.#hasBegun) this.#write(`\r${move(above)}${eraseBelow}${wrapOn}${showCursor}`)
    this.#forget([])
    this.#isWrapOff = false
    this.#isCursorShown = true
  }

  /** Records that the cursor's row and all below it are erased. */
  #cutBelow(): void {
    const { widths, cursor } = this.#painted
    const kept = widths.slice(0, cursor.row)
    if (cursor.column > 0) kept.push(cursor.column)
    this.#painted = { widths: kept, cursor: { row: kept.length, column: 0 } }
    this.#rows = []
    this.#isCursorShown = false
  }

  #forget(stale: readonly number[]): void {
    this.#rows = []
    this.#painted = { widths: stale, cursor: { row: stale.length, column: 0 } }
    this.#staleCount = stale.length
    this.#hiddenCount = 0
  }

  /** Erases the live zone, then writes finished rows and the live zone from its first row on. */
  #printed({ settled, rows, cursor }: PaintedFrame): string {
    const up = move(this.#painted.cursor.row - this.#staleCount)
    const above = settled.map((row) => `${row}\r\n`).join('')
    const lastRow = Math.max(0, rows.length - 1)
    return `\r${up}${eraseBelow}${wrapOn}${above}${wrapOff}${rows.join('\r\n')}${toCell(lastRow, cursor)}`
  }

  /** Writes the rows that have changed since the last frame. */
  #changes({ rows, widths, cursor, columns }: PaintedFrame): string {
    const before = below(this.#painted.cursor, -this.#staleCount)
    let text = ''
    let at = before.row
    for (const [row, painted] of rows.entries()) {
      if (painted === this.#rows[row]) continue
      // The last cell of a row that fills the terminal would be erased.
      const isShort = (widths[row] ?? 0) < columns
      text += `\r${move(at - row)}${isShort ? eraseRight : ''}${painted}`
      at = row
    }
    if (rows.length < this.#rows.length) {
      text += `\r${move(at - rows.length)}${eraseBelow}`
      at = rows.length
    }
    const isMoved = text !== '' || cursor.row !== before.row || cursor.column !== before.column
    return isMoved ? text + toCell(at, cursor) : ''
  }
}

/** Returns the frame with a drawn caret, and the hidden cursor in the lowest row below it. */
function restingLowest(frame: PaintedFrame): PaintedFrame {
  const { rows, cursor, hasCaret, caretText } = frame
  const lowest = { row: Math.max(0, rows.length - 1), column: cursor.column }
  if (!hasCaret) return { ...frame, cursor: lowest }
  const caret = `\r${right(cursor.column)}\x1b[7m${caretText}\x1b[27m`
  return {
    ...frame,
    rows: rows.map((row, index) => (index === cursor.row ? row + caret : row)),
    cursor: lowest,
    hasCaret: false,
  }
}

function below({ row, column }: Position, rows: number): Position {
  return { row: row + rows, column }
}

function toCell(from: number, { row, column }: Position): string {
  return `\r${move(from - row)}${right(column)}`
}

function right(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : ''
}

/** Returns the move by rows; downwards by line feeds. */
function move(rowsUp: number): string {
  return rowsUp > 0 ? `\x1b[${rowsUp}A` : '\r\n'.repeat(-rowsUp)
}
