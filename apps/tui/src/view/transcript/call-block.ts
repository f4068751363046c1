import { answerNote, callFacts, callTone, callVerb, commandOf, talkText } from '@parley/presentation/items/call-facts'
import { blockedWords, commandVerbs, toolVerbs } from '@parley/presentation/items/item-words'
import { showEffects, visibleLine } from '@parley/presentation/text/control-characters'
import { formatBytes } from '@parley/presentation/text/formats'
import type { Line, Room } from '@parley/presentation/text/span'
import type { ItemOf } from '@parley/protocol'
import { revealedLines } from '../approval/whole-approval.ts'
import { renderMarkdown } from '../markdown/render.ts'
import { findingRows } from '../review/finding-rows.ts'
import { type Clip, clipRows, foldHint } from '../text/fit-rows.ts'
import { below, beside, hung, indented, textRows } from '../text/gutter.ts'
import { authorRows, type TranscriptBlock } from './block.ts'
import { headRows } from './call-head.ts'
import { outputRows, outputTail, tailRows } from './output-rows.ts'

type AnyCommand = ItemOf<'commandExecution' | 'shellCommand'>
type ToolCall = ItemOf<'toolCall'>

/** Rows of the output of the user's own command. */
const ownClip: Clip = { head: 40, tail: 40 }
/** Rows of output shown of the model's calls, the count of all lines included. */
const outputLimits = { fine: 3, failed: 5 }
/** Rows of a reason for a failure. */
const failureClip: Clip = { head: 3, tail: 0, hint: foldHint }

/** Returns a finished command: what ran, how it ended if not well, and the end of its output. */
export function commandBlock(item: AnyCommand, room: Room, author: string | null): TranscriptBlock {
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

/** Returns the rows of a call's output. `hint`: words behind the count of hidden rows. */
export function shownOutput(item: AnyCommand | ToolCall, room: Room, hint = foldHint): readonly Line[] {
  const { output, status } = item
  if (output === undefined) return []
  const [image] = item.type === 'commandExecution' ? (item.images ?? []) : []
  if (image !== undefined) return imageRows(image.mediaType, output.totalBytes)
  if (item.type === 'shellCommand') return outputRows(output, room, { ...ownClip, hint })
  return outputTail(output, room, { limit: status === 'completed' ? outputLimits.fine : outputLimits.failed, hint })
}

function imageRows(mediaType: string, totalBytes: number): readonly Line[] {
  const kind = mediaType.replace('image/', '').toUpperCase()
  return [[{ text: `${kind} image, ${formatBytes(totalBytes)}`, tone: 'muted' }]]
}

/** Returns a running command with the newest lines of its output. */
export function runningCommand(item: AnyCommand, output: string, room: Room, limit: number): readonly Line[] {
  return [...commandHead(item, room), ...hung(tailRows(output, below(room), limit))]
}

function commandHead(item: AnyCommand, room: Room): readonly Line[] {
  const isOwn = item.type === 'shellCommand'
  const lines = revealedLines(commandOf(item)).map(plain)
  return headRows(
    {
      mark: { text: isOwn ? '!' : '•', tone: callTone(item) },
      verb: isOwn ? null : callVerb(item, commandVerbs),
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

export function noteRows(item: AnyCommand | ToolCall | ItemOf<'fileChange'>, room: Room): readonly Line[] {
  const note = item.type === 'shellCommand' ? null : answerNote(item)
  return note === null ? [] : indented(textRows(note, room, { tone: 'muted' }))
}

function blockedRows(item: AnyCommand, room: Room): readonly Line[] {
  const words = item.type === 'commandExecution' ? blockedWords(item) : null
  return words === null ? [] : indented(textRows(words, room, { tone: 'warn' }))
}

export function failureRows({ failure }: Pick<AnyCommand, 'failure'>, room: Room): readonly Line[] {
  return failure === undefined ? [] : indented(textRows(showEffects(failure.message), room, { tone: 'bad' }))
}

/** Returns a call of any other tool with its findings or the end of its result. */
export function toolBlock(item: ToolCall, room: Room): TranscriptBlock {
  const { findings = [] } = item
  const asked = [...talkRows(item, room), ...findingRows(findings, room)]
  return { kind: 'call', lines: [...toolRows(item, room), ...asked, ...hung(shownOutput(item, below(room)))] }
}

/** Returns a plan whole, and that a form was not answered. */
function talkRows(item: ToolCall, room: Room): readonly Line[] {
  const talk = talkText(item)
  if (talk === null) return []
  return indented(
    talk.kind === 'plan' ? renderMarkdown(talk.text, beside(room)) : textRows(showEffects(talk.text), room),
  )
}

/** Returns the call's title, the outcome if it failed, and the reason. */
export function toolRows(item: ToolCall, room: Room): readonly Line[] {
  const head = headRows(
    {
      mark: { text: '•', tone: callTone(item) },
      // The title of a look-up has its own verb.
      verb: item.readOnly && item.status !== 'denied' ? null : callVerb(item, toolVerbs),
      lines: [[{ text: visibleLine(item.title) }]],
      facts: callFacts(item),
    },
    room,
  )
  return [...head, ...noteRows(item, room), ...clipRows(failureRows(item, room), failureClip)]
}
