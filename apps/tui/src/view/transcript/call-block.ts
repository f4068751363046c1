import type { FileChangeEntry, ItemOf } from '@parley/protocol'
import { revealedLines } from '../approval/whole-approval.ts'
import { showEffects, showHidden, visibleLine } from '../text/control-characters.ts'
import { parseDiff, renderDiff } from '../text/diff.ts'
import { type Clip, clipRows, wrapLine } from '../text/fit-rows.ts'
import { below, beside, hung, indented, textRows } from '../text/gutter.ts'
import type { Line, Room, Span } from '../text/span.ts'
import { authorRows, type Block } from './block.ts'
import { answerNote, callFacts, callTone, rightsFacts, type Verbs, verbOf } from './call-facts.ts'
import { headRows } from './call-head.ts'
import { outputRows, outputTail, tailRows } from './output-rows.ts'

type Command = ItemOf<'commandExecution' | 'shellCommand'>
type ToolCall = ItemOf<'toolCall'>

/** Rows of a patch. */
const patchClip: Clip = { head: 40, tail: 10, hint: ' (Ctrl+O)' }
/** Rows of the output of the user's own command. */
const ownClip: Clip = { head: 40, tail: 40, hint: ' (Ctrl+O)' }
/** Rows of output shown of the model's calls, the count of all lines included. */
const outputLimits = { fine: 3, failed: 5 }
/** Rows of a reason for a failure. */
const failureClip: Clip = { head: 3, tail: 0, hint: ' (Ctrl+O)' }

const commandVerbs: Verbs = { done: 'Ran', doing: 'Running', not: 'Not run' }
const toolVerbs: Verbs = { done: 'Called', doing: 'Calling', not: 'Not called' }

/** Returns a finished command: what ran, how it ended if not well, and the end of its output. */
export function commandBlock(item: Command, room: Room, author: string | null): Block {
  return {
    kind: item.type === 'shellCommand' ? 'user' : 'call',
    lines: [
      ...commandHead(item, room),
      ...noteRows(item, room),
      ...authorRows(author, room),
      ...failureRows(item, room),
      ...blockedRows(item, room),
      ...hung(shownOutput(item, below(room))),
    ],
  }
}

function shownOutput(item: Command | ToolCall, room: Room): readonly Line[] {
  const { output, status } = item
  if (output === undefined) return []
  if (item.type === 'shellCommand') return outputRows(output, room, ownClip)
  return outputTail(output, room, status === 'completed' ? outputLimits.fine : outputLimits.failed)
}

/** Returns a running command with the newest lines of its output. */
export function runningCommand(item: Command, output: string, room: Room, limit: number): readonly Line[] {
  return [...commandHead(item, room), ...hung(tailRows(output, below(room), limit))]
}

function commandHead(item: Command, room: Room): readonly Line[] {
  const isOwn = item.type === 'shellCommand'
  const lines = revealedLines(isOwn ? item.command : item.text || item.title).map(plain)
  return headRows(
    {
      mark: { text: isOwn ? '!' : '•', tone: callTone(item) },
      verb: isOwn ? null : verbOf(item, commandVerbs),
      lines,
      facts: callFacts(item),
    },
    room,
  )
}

/** Returns the line without its weight, except where a hidden character is shown by number. */
function plain(line: Line): Line {
  return line.map((span) => (span.tone === undefined ? { text: span.text } : span))
}

function noteRows(item: Command | ToolCall | ItemOf<'fileChange'>, room: Room): readonly Line[] {
  const note = item.type === 'shellCommand' ? null : answerNote(item)
  return note === null ? [] : indented(textRows(note, room, { tone: 'muted' }))
}

/** Returns the sandbox limits that may explain a failed command. */
function blockedRows(item: Command, room: Room): readonly Line[] {
  const block = item.type === 'commandExecution' ? item.sandboxBlock : undefined
  if (block === undefined) return []
  const { paths, network } = block
  const blocked = [...(paths.length > 0 ? [`access to ${paths.join(', ')}`] : []), ...(network ? ['the network'] : [])]
  return indented(textRows(showEffects(`The sandbox blocks ${blocked.join(' and ')}`), room, { tone: 'warn' }))
}

function failureRows({ failure }: Pick<Command, 'failure'>, room: Room): readonly Line[] {
  return failure === undefined ? [] : indented(textRows(showEffects(failure.message), room, { tone: 'bad' }))
}

/** Returns a patch, applied or not: its files and the changed lines. */
export function changeBlock(item: ItemOf<'fileChange'>, room: Room): Block {
  return {
    kind: 'call',
    lines: [
      ...changeHead(item, room),
      ...noteRows(item, room),
      ...failureRows(item, room),
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
  const size = item.status === 'completed' ? changeSize(item.changes) : []
  const facts = item.status === 'completed' ? rightsFacts(item) : callFacts(item)
  // A patch that failed has changed no file, however long that took.
  const verb = item.status === 'failed' ? changeVerbs.not : verbOf(item, changeVerbs)
  return headRows(
    {
      mark: { text: '•', tone: callTone(item) },
      verb,
      lines: [[{ text: visibleLine(item.title) }, ...size]],
      facts,
    },
    room,
  )
}

const changeVerbs: Verbs = { done: 'Edited', doing: 'Editing', not: 'Not edited' }

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

/** Returns a call of any other tool with the end of its result. */
export function toolBlock(item: ToolCall, room: Room): Block {
  return { kind: 'call', lines: [...toolRows(item, room), ...hung(shownOutput(item, below(room)))] }
}

/** Returns the call's title, the outcome if it failed, and the reason. */
export function toolRows(item: ToolCall, room: Room): readonly Line[] {
  const head = headRows(
    {
      mark: { text: '•', tone: callTone(item) },
      // The title of a look-up says what it does.
      verb: item.readOnly && item.status !== 'denied' ? null : verbOf(item, toolVerbs),
      lines: [[{ text: visibleLine(item.title) }]],
      facts: callFacts(item),
    },
    room,
  )
  return [...head, ...noteRows(item, room), ...clipRows(failureRows(item, room), failureClip)]
}
