import type { ItemOf } from '@parley/protocol'
import { stripEffects, visibleLine } from '../text/control-characters.ts'
import { barred, beside, indented, marked, textRows } from '../text/gutter.ts'
import type { Line, Room } from '../text/span.ts'
import { type Clip, clipRows, truncateLine } from '../text/truncate.ts'
import type { Block } from './block.ts'
import { answerNote, callFacts, callTone } from './call-facts.ts'
import { outputRows } from './output-rows.ts'

type ToolCall = ItemOf<'toolCall'>

const outputClip: Clip = { head: 4, tail: 4 }

/** Returns a call of any other tool: a look-up is one muted row, other calls show part of the result. */
export function toolBlock(item: ToolCall, room: Room): Block {
  const rows = toolRows(item, room)
  if (item.output === undefined) return { kind: 'lookUp', lines: rows }
  return { kind: 'call', lines: [...rows, ...barred(clipRows(outputRows(item.output, beside(room)), outputClip))] }
}

/** Returns the call's title, the outcome if it failed, and the reason. */
export function toolRows(item: ToolCall, room: Room): readonly Line[] {
  const isFine = item.status === 'completed' || item.status === 'inProgress' || item.status === 'awaitingApproval'
  const facts = isFine ? [] : callFacts(item)
  const title: Line = [{ text: visibleLine(item.title), tone: 'muted' }, ...facts]
  const head = marked({ text: '·', tone: isFine ? 'muted' : callTone(item) }, [truncateLine(title, beside(room))])
  const note = answerNote(item)
  const failure =
    item.failure === undefined
      ? []
      : clipRows(textRows(stripEffects(item.failure.message), room, { tone: 'bad' }), { head: 3, tail: 0 })
  return [...head, ...(note === null ? [] : indented(textRows(note, room, { tone: 'muted' }))), ...indented(failure)]
}
