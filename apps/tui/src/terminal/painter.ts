import { type Caret, eraseReflowed, paintLine, type Screen, type TerminalSize } from '../view/screen.ts'

/** Puts screens on the terminal. */
export interface Painter {
  paint(screen: Screen): void
  /** The terminal has another size: takes the live zone off the screen until the next one. `isReflowed`: its rows were broken anew. */
  resized(size: TerminalSize, isReflowed: boolean): void
  /** Takes the live zone off the screen; what is settled stays. */
  close(): void
}

/** The rows of new blocks, as text for the terminal; null when there are none. */
export function settledText({ settled }: Screen, colours: boolean): string | null {
  const rows = settled.flatMap(({ lines }) => lines.map((line) => paintLine(line, colours)))
  return rows.length === 0 ? null : rows.join('\n')
}

export function liveText({ live }: Screen, colours: boolean): string {
  return live.map((line) => paintLine(line, colours)).join('\n')
}

/**
 * Paints while Ink is still being loaded, so that the composer is there at once and shows what is typed. Begins with a
 * blank row: tmux keeps in its history what is erased from the very first row on.
 */
export function createEarlyPainter(write: (text: string) => void, colours: boolean): Painter {
  let caret: Caret | null = null
  let begun = false
  let painted: Screen | null = null

  const erase = () => `\r${caret !== null && caret.row > 0 ? `\x1b[${caret.row}A` : ''}\x1b[J`

  function draw(screen: Screen): string {
    painted = screen
    const lastRow = screen.live.length - 1
    caret = screen.caret ?? { row: lastRow, column: 0 }
    const up = lastRow - caret.row
    const column = caret.column > 0 ? `\x1b[${caret.column}C` : ''
    return `${liveText(screen, colours)}${up > 0 ? `\x1b[${up}A` : ''}\r${column}`
  }

  function hide() {
    write(erase())
    caret = null
    painted = null
  }

  return {
    paint(screen) {
      const before = begun ? erase() : '\r\n'
      begun = true
      const settled = settledText(screen, colours)
      write(
        `${before}${settled === null ? '' : `${settled.replaceAll('\n', '\r\n')}\r\n`}${draw(screen).replaceAll('\n', '\r\n')}`,
      )
    },
    resized({ columns }, isReflowed) {
      if (isReflowed && painted !== null) write(eraseReflowed(painted, columns))
      hide()
    },
    close: hide,
  }
}
