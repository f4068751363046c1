import type { ItemOf } from '@parley/protocol'
import { revealedLines } from '../approval-detail.ts'
import type { Block } from '../block.ts'
import { type Clip, clipRows } from '../clip-rows.ts'
import { barred, beside, marked, textRows } from '../gutter.ts'
import { stripEffects } from '../neutralise.ts'
import { outputRows, tailRows } from '../output-rows.ts'
import type { Line, Room } from '../span.ts'
import { wrapLine, wrapLines } from '../wrap.ts'
import { authorRows } from './author-rows.ts'
import { answerNote, callFacts, callTone } from './call-facts.ts'

type Command = ItemOf<'commandExecution' | 'shellCommand'>

const commandRows: Clip = { head: 8, tail: 2 }
/** What the model ran is there to be checked at a glance; what the user ran is there to be read. */
const clips = {
  commandExecution: { head: 3, tail: 6 },
  failed: { head: 4, tail: 12 },
  shellCommand: { head: 40, tail: 40 },
}

/** A command that has ended: what ran, how it ended, and its output clipped. */
export function commandBlock(item: Command, room: Room, author: string | null): Block {
  const output = item.output === undefined ? [] : outputRows(item.output, beside(room))
  const clip =
    item.type === 'shellCommand' ? clips.shellCommand : clips[item.status === 'failed' ? 'failed' : item.type]
  return {
    kind: 'call',
    lines: [
      ...commandHead(item, room),
      ...answerRows(item, room),
      ...authorRows(author, room),
      ...failureRows(item, room),
      ...blockedRows(item, room),
      ...barred(clipRows(output, clip)),
    ],
  }
}

/** A command that runs: the newest lines of its output. */
export function runningCommand(item: Command, output: string, room: Room, limit: number): readonly Line[] {
  return [...commandHead(item, room), ...barred(tailRows(output, beside(room), limit))]
}

function commandHead(item: Command, room: Room): readonly Line[] {
  const lines = revealedLines(item.type === 'shellCommand' ? item.command : item.text || item.title)
  const facts = callFacts(item)
  const mark = { text: item.type === 'shellCommand' ? '!' : '$', tone: callTone(item), bold: true } as const
  const [first = [], ...others] = lines
  if (others.length === 0) return marked(mark, wrapLine([...first, ...facts], beside(room)))
  return marked(mark, [...clipRows(wrapLines(lines, beside(room)), commandRows), facts.slice(1)])
}

function answerRows(item: Command, room: Room): readonly Line[] {
  const note = item.type === 'commandExecution' ? answerNote(item) : null
  return note === null ? [] : marked({ text: ' ' }, textRows(note, room, { tone: 'muted' }))
}

/** What the sandbox keeps a command from that failed: a person should not have to find out. */
function blockedRows(item: Command, room: Room): readonly Line[] {
  const block = item.type === 'commandExecution' ? item.sandboxBlock : undefined
  if (block === undefined) return []
  const { paths, network } = block
  const what = [
    ...(paths.length > 0 ? [`it does not let commands change or see ${paths.join(', ')}`] : []),
    ...(network ? ['it gives no network'] : []),
  ].join('; ')
  return marked({ text: ' ' }, textRows(stripEffects(`The sandbox: ${what}`), room, { tone: 'warn' }))
}

function failureRows(item: Command, room: Room): readonly Line[] {
  const { failure } = item
  return failure === undefined
    ? []
    : marked({ text: ' ' }, textRows(stripEffects(failure.message), room, { tone: 'bad' }))
}
