import { type Caret, eraseReflowed, type Screen } from '../view/screen.ts'
import { liveText, type Painter, settledText } from './painter.ts'

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
