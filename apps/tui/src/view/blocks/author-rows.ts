import { indented, textRows } from '../gutter.ts'
import type { Line, Room } from '../span.ts'

/** Below what came from another window. `author` is plain text; null for what is our own. */
export function authorRows(author: string | null, room: Room): readonly Line[] {
  return author === null ? [] : indented(textRows(`from ${author}`, room, { tone: 'muted' }))
}
