import type { Screen } from './screen.ts'
import { lineText } from './span.ts'
import { cellWidth } from './width.ts'

/**
 * Erases a live zone whose rows the terminal has broken anew at this width, and leaves the cursor as many rows below
 * the zone's top as the caret was: where its painter believes it to be. Nothing if no row was broken.
 *
 * Row by row, since tmux keeps in its history what is erased from the screen's first row on at once.
 */
export function eraseReflowed({ live, caret }: Pick<Screen, 'live' | 'caret'>, columns: number): string {
  const heights = live.map((line) => Math.max(1, Math.ceil(cellWidth(lineText(line)) / columns)))
  const total = heights.reduce((sum, height) => sum + height, 0)
  if (caret === null || total === live.length) return ''
  const above = heights.slice(0, caret.row).reduce((sum, height) => sum + height, 0)
  const toTop = above + Math.floor(caret.column / columns)
  const erased = Array.from({ length: total }, () => '\x1b[2K').join('\x1b[1B')
  return `\r${move(toTop, 'A')}${erased}${move(total - 1, 'A')}${move(caret.row, 'B')}`
}

function move(rows: number, direction: 'A' | 'B'): string {
  return rows > 0 ? `\x1b[${rows}${direction}` : ''
}
