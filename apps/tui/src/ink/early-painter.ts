import type { Caret, Screen } from '../view/screen.ts'
import { liveText, type Painter, settledText } from './painter.ts'

/** Paints while Ink is still being loaded, so that the composer is there at once and shows what is typed. */
export function createEarlyPainter(write: (text: string) => void, colours: boolean): Painter {
  let caret: Caret | null = null

  const erase = () => `\r${caret !== null && caret.row > 0 ? `\x1b[${caret.row}A` : ''}\x1b[J`

  function draw(screen: Screen): string {
    const lastRow = screen.live.length - 1
    caret = screen.caret ?? { row: lastRow, column: 0 }
    const up = lastRow - caret.row
    const column = caret.column > 0 ? `\x1b[${caret.column}C` : ''
    return `${liveText(screen, colours)}${up > 0 ? `\x1b[${up}A` : ''}\r${column}`
  }

  return {
    paint(screen) {
      const before = erase()
      const settled = settledText(screen, colours)
      write(
        `${before}${settled === null ? '' : `${settled.replaceAll('\n', '\r\n')}\r\n`}${draw(screen).replaceAll('\n', '\r\n')}`,
      )
    },
    close() {
      write(erase())
      caret = null
    },
  }
}
