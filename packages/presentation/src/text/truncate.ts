import { graphemes } from './graphemes.ts'
import { type Line, lineText, type Room, sliceLine } from './span.ts'
import { cellWidth, graphemeWidth } from './width.ts'

const ellipsis = '…'

/** Returns the text if it fits, else its beginning and an ellipsis. */
export function truncateText(text: string, room: Room): string {
  const cut = cutOffset(text, room)
  return cut === null ? text : text.slice(0, cut) + mark(room)
}

/** Returns the text if it fits, else an ellipsis and its end, which distinguishes paths. */
export function truncateStart(text: string, room: Room): string {
  let rest = cellWidth(text, room.ambiguous)
  if (rest <= room.columns) return text
  const kept = room.columns - cellWidth(mark(room), room.ambiguous)
  let offset = 0
  for (const grapheme of graphemes(text)) {
    if (rest <= kept) break
    rest -= graphemeWidth(grapheme, room.ambiguous)
    offset += grapheme.length
  }
  return mark(room) + text.slice(offset)
}

/** Returns the line if it fits, else its beginning and an ellipsis in the style at the cut. */
export function truncateLine(line: Line, room: Room): Line {
  const cut = cutOffset(lineText(line), room)
  if (cut === null) return line
  const kept = sliceLine(line, 0, cut)
  const style = sliceLine(line, cut, cut + 1)[0] ?? kept.at(-1)
  return [...kept, { ...style, text: mark(room) }]
}

/** Returns the offset at which to cut so that the ellipsis fits; null if the text fits. */
function cutOffset(text: string, room: Room): number | null {
  if (cellWidth(text, room.ambiguous) <= room.columns) return null
  const kept = room.columns - cellWidth(mark(room), room.ambiguous)
  let column = 0
  let offset = 0
  for (const grapheme of graphemes(text)) {
    column += graphemeWidth(grapheme, room.ambiguous)
    if (column > kept) break
    offset += grapheme.length
  }
  return offset
}

function mark(room: Room): string {
  return cellWidth(ellipsis, room.ambiguous) <= room.columns ? ellipsis : ''
}
