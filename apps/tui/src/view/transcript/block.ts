import { indented, textRows } from '../text/gutter.ts'
import type { Line, Room } from '../text/span.ts'

/** Kind of a transcript block; consecutive look-ups and notices have no blank row between them. */
export type BlockKind = 'user' | 'message' | 'reasoning' | 'call' | 'lookUp' | 'notice' | 'plan' | 'report'

/** Finished part of the transcript: printed once, never changed. */
export interface Block {
  readonly kind: BlockKind
  readonly lines: readonly Line[]
}

const close: ReadonlySet<BlockKind> = new Set(['lookUp', 'reasoning', 'notice'])

/** Returns the blank row before a block of this kind, if any. */
export function gapBefore(last: BlockKind | null, kind: BlockKind): readonly Line[] {
  return last === null || (last === kind && close.has(kind)) ? [] : [[]]
}

/** Returns the row that names another client as author. `author` is plain text; null for this client. */
export function authorRows(author: string | null, room: Room): readonly Line[] {
  return author === null ? [] : indented(textRows(`from ${author}`, room, { tone: 'muted' }))
}
