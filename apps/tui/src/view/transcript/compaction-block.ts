import { showEffects } from '@parley/presentation/text/control-characters'
import type { Line, Room, Tone } from '@parley/presentation/text/span'
import type { ItemOf } from '@parley/protocol'
import { type Clip, clipRows, foldHint } from '../text/fit-rows.ts'
import { below, hung, indented, textRows } from '../text/gutter.ts'
import type { TranscriptBlock } from './block.ts'
import { headRows } from './call-head.ts'
import { tailRows } from './output-rows.ts'

type Compaction = ItemOf<'contextCompaction'>

/** Rows of a summary; all of it is in the transcript view. */
const summaryClip: Clip = { head: 3, tail: 0, hint: foldHint }

const tones: Readonly<Partial<Record<Compaction['status'], Tone>>> = {
  completed: 'good',
  failed: 'bad',
  interrupted: 'warn',
}

/** Returns a finished compaction: its numbers, and the beginning of the summary. */
export function compactionBlock(item: Compaction, room: Room): TranscriptBlock {
  return { kind: 'call', lines: [...head(item, room), ...indented(clipRows(summaryRows(item, room), summaryClip))] }
}

export function openedCompaction(item: Compaction, room: Room): readonly Line[] {
  return [...head(item, room), ...indented(summaryRows(item, room))]
}

/** Returns a running compaction with the newest lines of its summary. */
export function runningCompaction(item: Compaction, room: Room, limit: number): readonly Line[] {
  const text = showEffects(item.text).replace(/\n{2,}/g, '\n')
  return [...head(item, room), ...hung(tailRows(text, below(room), limit))]
}

function head(item: Compaction, room: Room): readonly Line[] {
  const mark = { text: '•', tone: tones[item.status] ?? ('accent' as const) }
  return headRows({ mark, verb: null, lines: [[{ text: showEffects(item.title) }]], facts: [] }, room)
}

function summaryRows({ text }: Compaction, room: Room): readonly Line[] {
  return text.trim() === '' ? [] : textRows(showEffects(text).trim(), below(room), { tone: 'muted' })
}
