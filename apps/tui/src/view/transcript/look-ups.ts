import { count } from '@parley/presentation/text/formats'
import { type Line, lineText, type Room } from '@parley/presentation/text/span'
import { truncateLine, truncateText } from '@parley/presentation/text/truncate'
import { cellWidth } from '@parley/presentation/text/width'
import type { Item } from '@parley/protocol'
import type { TranscriptBlock } from './block.ts'

/** Cells of one look-up in the row of its group. */
const wordCells = 48

/** Returns a group of look-ups as one row: as many as fit, and the number of the others. */
export function lookUpBlock(words: readonly string[], room: Room, verb = 'Looked at'): TranscriptBlock {
  const shown = [...new Set(words)].map((text) => truncateText(text, { ...room, columns: wordCells }))
  for (let kept = shown.length; kept > 0; kept--) {
    const row = groupRow(shown.slice(0, kept), moreWords(shown.length - kept, ' (Ctrl+T)'), verb)
    if (cellWidth(lineText(row), room.ambiguous) <= room.columns) return { kind: 'lookUp', lines: [row] }
  }
  const row = groupRow(shown.slice(0, 1), moreWords(shown.length - 1, ''), verb)
  return { kind: 'lookUp', lines: [truncateLine(row, room)] }
}

function moreWords(others: number, key: string): string {
  return others > 0 ? ` · … ${count(others)} more${key}` : ''
}

function groupRow(words: readonly string[], more: string, verb: string): Line {
  return [
    { text: '• ', tone: 'muted', bold: true },
    { text: `${verb}  ${words.join(' · ')}${more}`, tone: 'muted' },
  ]
}

/** Returns true for a call with a check list as its text, because the plan has a row of its own. */
export function isPlanUpdate(item: Item): boolean {
  if (item.type !== 'toolCall' || item.status !== 'completed' || item.facts?.['kind'] !== 'other') return false
  return item.text !== '' && item.text.split('\n').every((line) => /^\[[ x>]\] /.test(line))
}
