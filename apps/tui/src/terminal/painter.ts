import { type Caret, caretPosition, type LiveZone, liveRows, type Position } from '../view/live-zone.ts'
import { eraseReflowed, paintLine, type Screen, type TerminalSize } from '../view/screen.ts'
import type { Line } from '../view/text/span.ts'

/** Puts screens on the terminal. */
export interface Painter {
  paint(screen: Screen): void
  /**
   * Erases the live zone, because the terminal has another size, until the next `paint`. `isReflowed`: the terminal has
   * wrapped its rows again.
   */
  resized(size: TerminalSize, isReflowed: boolean): void
  /** Erases the live zone; the transcript stays. */
  close(): void
}

/** Returns the rows as text for the terminal, joined by line ends; null if there are none. */
export function paintRows(rows: readonly Line[], colours: boolean): string | null {
  return rows.length === 0 ? null : rows.map((row) => paintLine(row, colours)).join('\n')
}

/** Returns the rows of blocks to append to the transcript; null if there are none. */
export function settledText({ settled }: Screen, colours: boolean): string | null {
  const rows = settled.flatMap(({ lines }) => lines)
  return paintRows(rows, colours)
}

/**
 * Creates the painter of the first frames, while Ink is loaded, so that the composer shows what is typed at once. Begins
 * with a blank row, because tmux copies to its history what is erased from the very first row on.
 */
export function createEarlyPainter(write: (text: string) => void, colours: boolean): Painter {
  let cursor: Position | null = null
  let hasBegun = false
  let painted: { readonly live: LiveZone; readonly caret: Caret | null } | null = null

  const erase = () => `\r${up(cursor?.row ?? 0)}\x1b[J`

  function draw({ live, caret }: Screen): string {
    painted = { live, caret }
    const rows = liveRows(live)
    const lastRow = rows.length - 1
    cursor = caretPosition(live, caret) ?? { row: lastRow, column: 0 }
    const right = cursor.column > 0 ? `\x1b[${cursor.column}C` : ''
    return `${paintRows(rows, colours) ?? ''}${up(lastRow - cursor.row)}\r${right}`
  }

  function hide() {
    write(erase())
    cursor = null
    painted = null
  }

  return {
    paint(screen) {
      const before = hasBegun ? erase() : '\r\n'
      hasBegun = true
      const settled = settledText(screen, colours)
      const above = settled === null ? '' : `${settled}\n`
      write(before + `${above}${draw(screen)}`.replaceAll('\n', '\r\n'))
    },
    resized({ columns }, isReflowed) {
      if (isReflowed && painted !== null) write(eraseReflowed(painted, columns))
      hide()
    },
    close: hide,
  }
}

function up(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A` : ''
}
