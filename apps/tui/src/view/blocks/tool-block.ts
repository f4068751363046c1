import type { ItemOf } from '@parley/protocol'
import type { Block } from '../block.ts'
import { type Clip, clipRows } from '../clip-rows.ts'
import { barred, beside, indented, marked, textRows } from '../gutter.ts'
import { stripEffects } from '../neutralise.ts'
import { outputRows } from '../output-rows.ts'
import type { Line, Room } from '../span.ts'
import { truncateLine } from '../truncate.ts'
import { visibleLine } from '../visible-text.ts'
import { answerNote, callFacts, callTone } from './call-facts.ts'

type ToolCall = ItemOf<'toolCall'>

const outputClip: Clip = { head: 4, tail: 4 }

/** A call of any other tool: a look-up is one quiet row, what came back from another one is shown in part. */
export function toolBlock(item: ToolCall, room: Room): Block {
  const rows = toolRows(item, room)
  if (item.output === undefined) return { kind: 'lookUp', lines: rows }
  return { kind: 'call', lines: [...rows, ...barred(clipRows(outputRows(item.output, beside(room)), outputClip))] }
}

/** Its title, how it ended if that was not well, and why. */
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
