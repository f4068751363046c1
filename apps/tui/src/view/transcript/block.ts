import { indented, textRows } from '../text/gutter.ts'
import type { Line, Room } from '../text/span.ts'

/** What stands under one heading of the transcript; look-ups and hints follow each other without a blank row. */
export type BlockKind = 'user' | 'message' | 'reasoning' | 'call' | 'lookUp' | 'notice' | 'plan' | 'said'

/** A finished stretch of the transcript: it is printed once and never changed. */
export interface Block {
  readonly kind: BlockKind
  readonly lines: readonly Line[]
}

const close: ReadonlySet<BlockKind> = new Set(['lookUp', 'reasoning', 'notice'])

/** The blank row that goes before a block of this kind, if any. */
export function gapBefore(last: BlockKind | null, kind: BlockKind): readonly Line[] {
  return last === null || (last === kind && close.has(kind)) ? [] : [[]]
}

/** Below what came from another window. `author` is plain text; null for what is our own. */
export function authorRows(author: string | null, room: Room): readonly Line[] {
  return author === null ? [] : indented(textRows(`from ${author}`, room, { tone: 'muted' }))
}
