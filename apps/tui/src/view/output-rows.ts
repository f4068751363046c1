import type { Output } from '@parley/protocol'
import { formatBytes } from './bytes.ts'
import { stripEffects } from './neutralise.ts'
import { collapseOverwrites } from './overwrite.ts'
import type { Line, Room } from './span.ts'
import { wrapLines } from './wrap.ts'

/** More of it than this is never on the screen at once, so it is not laid out either. */
const maxCharacters = 32_768

/** What a command wrote, as rows: overwriting done, effects dropped, wrapped anywhere. */
export function outputRows(output: Output, room: Room): readonly Line[] {
  if (output.binary) return [[{ text: `${formatBytes(output.totalBytes)} that are not text`, tone: 'muted' }]]
  const head = textRows(output.head.slice(0, maxCharacters), room)
  if (output.tail === '' && output.omittedBytes === 0) return head
  const gap: Line = [{ text: `… ${formatBytes(output.omittedBytes)} not shown`, tone: 'muted' }]
  return [...head, ...(output.omittedBytes > 0 ? [gap] : []), ...textRows(output.tail.slice(-maxCharacters), room)]
}

/** The newest rows of output that is still coming. */
export function tailRows(text: string, room: Room, limit: number): readonly Line[] {
  return textRows(text.slice(-limit * 4 * room.columns), room).slice(-limit)
}

function textRows(text: string, room: Room): readonly Line[] {
  const shown = stripEffects(collapseOverwrites(text), 8).replace(/\n+$/, '')
  if (shown === '') return []
  const lines = shown.split('\n').map((line): Line => (line === '' ? [] : [{ text: line, tone: 'muted' }]))
  return wrapLines(lines, { ...room, mode: 'anywhere', hang: 0 })
}
