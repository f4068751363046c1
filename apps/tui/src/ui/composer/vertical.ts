import type { Room } from '../../view/span.ts'
import type { Composer } from './composer.ts'
import { newer, older } from './recall.ts'
import { columnAt, composerRows, offsetAt, rowAt } from './rows.ts'
import { stopFrom, stopUpTo } from './stops.ts'

/** One row up; from the first row, to the older entry of the history. */
export function moveUp(composer: Composer, room: Room, history: readonly string[]): Composer {
  return moveRows(composer, -1, room) ?? older(composer, history)
}

/** One row down; from the last row, to the newer entry of the history, and at last to the draft. */
export function moveDown(composer: Composer, room: Room, history: readonly string[]): Composer {
  return moveRows(composer, 1, room) ?? newer(composer, history)
}

/** Null if there is no row there. A folded paste is passed over in the direction of the move. */
function moveRows(composer: Composer, step: -1 | 1, room: Room): Composer | null {
  const rows = composerRows(composer, room)
  const current = rowAt(rows, composer.caret)
  const target = rows[current + step]
  if (target === undefined) return null
  const goal = composer.goal ?? columnAt(composer.text, rows[current], composer.caret, room)
  const offset = offsetAt(composer.text, target, goal, room)
  const caret = step === 1 ? stopFrom(composer, offset) : stopUpTo(composer, offset)
  return { ...composer, caret, goal, typing: false }
}
