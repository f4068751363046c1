import type { FileChangeEntry, ItemOf } from '@parley/protocol'
import { revealedLines } from '../approval/whole-approval.ts'
import { showEffects, showHidden, visibleLine } from '../text/control-characters.ts'
import { parseDiff, renderDiff } from '../text/diff.ts'
import { type Clip, clipRows, truncateLine, wrapLine, wrapLines } from '../text/fit-rows.ts'
import { barred, beside, indented, marked, textRows } from '../text/gutter.ts'
import type { Line, Room, Span } from '../text/span.ts'
import { answerNote, authorRows, type Block, callFacts, callTone, rightsFacts } from './block.ts'
import { outputRows, tailRows } from './output-rows.ts'

type Command = ItemOf<'commandExecution' | 'shellCommand'>
type ToolCall = ItemOf<'toolCall'>

/** Rows of a command itself. */
const commandClip: Clip = { head: 8, tail: 2 }
/** Rows of a patch. */
const patchClip: Clip = { head: 40, tail: 10 }
/** Rows of the result of another tool. */
const resultClip: Clip = { head: 4, tail: 4 }
/** Rows of output shown: few for the model's commands, many for the user's own. */
const outputClips = {
  commandExecution: { head: 3, tail: 6 },
  failed: { head: 4, tail: 12 },
  shellCommand: { head: 40, tail: 40 },
}

/** Returns a finished command: what ran, how it ended, and its output clipped. */
export function commandBlock(item: Command, room: Room, author: string | null): Block {
  const clip =
    item.type === 'shellCommand'
      ? outputClips.shellCommand
      : outputClips[item.status === 'failed' ? 'failed' : item.type]
  const output = item.output === undefined ? [] : outputRows(item.output, beside(room), clip)
  return {
    kind: 'call',
    lines: [
      ...commandHead(item, room),
      ...answerRows(item, room),
      ...authorRows(author, room),
      ...failureRows(item, room),
      ...blockedRows(item, room),
      ...barred(output),
    ],
  }
}

/** Returns a running command with the newest lines of its output. */
export function runningCommand(item: Command, output: string, room: Room, limit: number): readonly Line[] {
  return [...commandHead(item, room), ...barred(tailRows(output, beside(room), limit))]
}

function commandHead(item: Command, room: Room): readonly Line[] {
  const lines = revealedLines(item.type === 'shellCommand' ? item.command : item.text || item.title)
  const facts = callFacts(item)
  const mark = { text: item.type === 'shellCommand' ? '!' : '$', tone: callTone(item), bold: true } as const
  const [first = [], ...others] = lines
  if (others.length === 0) return marked(mark, wrapLine([...first, ...facts], beside(room)))
  return marked(mark, [...clipRows(wrapLines(lines, beside(room)), commandClip), facts.slice(1)])
}

function answerRows(item: Command, room: Room): readonly Line[] {
  const note = item.type === 'commandExecution' ? answerNote(item) : null
  return note === null ? [] : marked({ text: ' ' }, textRows(note, room, { tone: 'muted' }))
}

/** Returns the sandbox limits that may explain a failed command. */
function blockedRows(item: Command, room: Room): readonly Line[] {
  const block = item.type === 'commandExecution' ? item.sandboxBlock : undefined
  if (block === undefined) return []
  const { paths, network } = block
  const blocked = [...(paths.length > 0 ? [`access to ${paths.join(', ')}`] : []), ...(network ? ['the network'] : [])]
  return marked(
    { text: ' ' },
    textRows(showEffects(`The sandbox blocks ${blocked.join(' and ')}`), room, { tone: 'warn' }),
  )
}

function failureRows(item: Command, room: Room): readonly Line[] {
  const { failure } = item
  return failure === undefined
    ? []
    : marked({ text: ' ' }, textRows(showEffects(failure.message), room, { tone: 'bad' }))
}

/** Returns a patch, applied or not: its files and the changed lines. */
export function changeBlock(item: ItemOf<'fileChange'>, room: Room): Block {
  const note = answerNote(item)
  return {
    kind: 'call',
    lines: [
      ...changeHead(item, room),
      ...(note === null ? [] : indented(textRows(note, room, { tone: 'muted' }))),
      ...(item.failure === undefined
        ? []
        : indented(textRows(showEffects(item.failure.message), room, { tone: 'bad' }))),
      ...indented(
        clipRows(
          item.changes.flatMap((change) => fileRows(change, item.changes.length > 1, beside(room))),
          patchClip,
        ),
      ),
    ],
  }
}

export function changeHead(item: ItemOf<'fileChange'>, room: Room): readonly Line[] {
  const facts = item.status === 'completed' ? [...changeSize(item.changes), ...rightsFacts(item)] : callFacts(item)
  const mark = { text: '±', tone: callTone(item), bold: true } as const
  return marked(mark, wrapLine([{ text: visibleLine(item.title), bold: true }, ...facts], beside(room)))
}

/** Returns each file's diff below its path. */
export function changedFiles(changes: readonly FileChangeEntry[], room: Room): readonly Line[] {
  return changes.flatMap((change) => fileRows(change, true, room))
}

/** Returns one file's diff, below its path where the patch has several files. */
function fileRows(change: FileChangeEntry, withPath: boolean, room: Room): readonly Line[] {
  const lines = parseDiff(showHidden(change.diff)).filter(({ kind }) => kind !== 'file')
  const rows = renderDiff(lines, room)
  return withPath ? [...wrapLine([pathSpan(change), ...changeSize([change])], room), ...rows] : rows
}

function pathSpan({ path, movedTo }: FileChangeEntry): Span {
  return { text: visibleLine(movedTo === undefined ? path : `${path} → ${movedTo}`), bold: true }
}

function changeSize(changes: readonly FileChangeEntry[]): readonly Span[] {
  const additions = changes.reduce((sum, change) => sum + change.additions, 0)
  const deletions = changes.reduce((sum, change) => sum + change.deletions, 0)
  return [
    { text: '  ' },
    { text: `+${additions}`, tone: 'good' },
    { text: ' ' },
    { text: `−${deletions}`, tone: 'bad' },
  ]
}

/** Returns a call of any other tool: a look-up is one muted row, other calls show part of the result. */
export function toolBlock(item: ToolCall, room: Room): Block {
  const rows = toolRows(item, room)
  if (item.output === undefined) return { kind: 'lookUp', lines: rows }
  return { kind: 'call', lines: [...rows, ...barred(outputRows(item.output, beside(room), resultClip))] }
}

/** Returns the call's title, the outcome if it failed, and the reason. */
export function toolRows(item: ToolCall, room: Room): readonly Line[] {
  const isFine = item.status === 'completed' || item.status === 'inProgress' || item.status === 'awaitingApproval'
  const facts = isFine ? rightsFacts(item) : callFacts(item)
  const title: Line = [{ text: visibleLine(item.title), tone: 'muted' }, ...facts]
  const head = marked({ text: '·', tone: isFine ? 'muted' : callTone(item) }, [truncateLine(title, beside(room))])
  const note = answerNote(item)
  const failure =
    item.failure === undefined
      ? []
      : clipRows(textRows(showEffects(item.failure.message), room, { tone: 'bad' }), { head: 3, tail: 0 })
  return [...head, ...(note === null ? [] : indented(textRows(note, room, { tone: 'muted' }))), ...indented(failure)]
}
