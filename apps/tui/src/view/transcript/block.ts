import { type EndedTurn, endingText, type TurnClock } from '@parley/presentation/items/turn-clock'
import type { Line, Room } from '@parley/presentation/text/span'
import { indented, textRows } from '../text/gutter.ts'

/** Kind of a transcript block, which decides the blank row before it. */
export type BlockKind = 'user' | 'message' | 'reasoning' | 'call' | 'lookUp' | 'notice' | 'plan' | 'ending' | 'report'

/** Finished part of the transcript: printed once, never changed. */
export interface TranscriptBlock {
  readonly kind: BlockKind
  readonly lines: readonly Line[]
}

/** Kinds of work, between which there are no blank rows. */
const work: ReadonlySet<BlockKind> = new Set(['lookUp', 'reasoning', 'call', 'plan', 'ending'])

/** Returns the blank row before a block of this kind, if any. */
export function gapBefore(last: BlockKind | null, kind: BlockKind): readonly Line[] {
  if (last === null || (last === 'notice' && kind === 'notice')) return []
  return work.has(last) && work.has(kind) ? [] : [[]]
}

/** Returns the row that names another client as author. `author` is plain text; null for this client. */
export function authorRows(author: string | null, room: Room): readonly Line[] {
  return author === null ? [] : indented(textRows(`from ${author}`, room, { tone: 'muted' }))
}

/**
 * Returns the last row of a turn: its working and waiting time, open steps of its plan, the time of day. Null for a
 * turn too short to mention. `offsetMs`: of the local time from UTC.
 */
export function endingBlock(clock: TurnClock, ended: EndedTurn, offsetMs: number): TranscriptBlock | null {
  const text = endingText(clock, ended, offsetMs)
  return text === null ? null : { kind: 'ending', lines: [[{ text, tone: 'muted' }]] }
}
