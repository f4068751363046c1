import type { Approval, ConversationState, Failure, Item, ItemId, OpenItem, Turn } from '@parley/protocol'
import { approvedNotStarted, pendingApprovals } from '../../ui/answers.ts'
import { isInboxPaused } from '../../ui/inbox.ts'
import type { UiState } from '../../ui/ui-state.ts'
import { runningShellCommand } from '../../ui/update/key-places.ts'
import { isLeaveOffered } from '../../ui/update/press-stop.ts'
import { shownLine, shownName } from '../text/control-characters.ts'
import { below, hung, indented } from '../text/gutter.ts'
import type { Line, Room } from '../text/span.ts'
import { type BlockKind, gapBefore } from '../transcript/block.ts'
import { changeHead, runningCommand, toolRows } from '../transcript/call-block.ts'
import { reasoningRows } from '../transcript/item-block.ts'
import { looksAt, lookUpBlock } from '../transcript/look-ups.ts'
import { liveRows } from '../transcript/message-stream.ts'
import { tailRows } from '../transcript/output-rows.ts'
import type { Transcript } from '../transcript/transcript.ts'

/** Line above the composer that describes the current activity. */
export interface Activity {
  readonly line: Line
  /** Time at which the line changes without input, in ms since the epoch. */
  readonly changesAtMs: number | null
}

export function activityOf(state: ConversationState | null, ui: UiState, nowMs: number): Activity | null {
  if (ui.link.kind === 'lost') return still(lostLine(state, ui))
  if (isLeaveOffered(ui.interrupts, nowMs)) {
    return {
      line: [{ text: 'Press Ctrl+C again to leave', tone: 'warn' }],
      changesAtMs: (ui.interrupts.armedUntilMs ?? nowMs) + 1,
    }
  }
  if (ui.hangs) return still(hangingLine)
  if (ui.link.kind === 'starting') return isWaitedFor(ui) ? still([{ text: 'starting…', tone: 'muted' }]) : null
  if (state === null || ui.opened?.readOnly) return null
  const command = runningShellCommand(state)
  if (command !== null && pendingApprovals(state, ui).length === 0)
    return still(
      ui.stoppingCommand === command
        ? [{ text: 'stopping your command…', tone: 'warn' }]
        : [
            { text: 'your command runs, without a terminal', tone: 'accent' },
            { text: ' · esc stops it', tone: 'muted' },
          ],
    )
  if (state.core.turn !== null) return turnActivity(state, state.core.turn, ui, nowMs)
  return isInboxPaused(state)
    ? still([{ text: 'These messages wait. Enter on an empty line sends them', tone: 'warn' }])
    : null
}

function still(line: Line): Activity {
  return { line, changesAtMs: null }
}

const hangingLine: Line = [
  { text: 'The server does not answer. ', tone: 'bad', bold: true },
  { text: 'Ctrl+R starts it anew · Esc waits · Ctrl+D leaves', tone: 'bad' },
]

function lostLine(state: ConversationState | null, { composer, opened }: UiState): Line {
  const key = composer.text === '' ? 'r' : 'Ctrl+R'
  const way = opened?.onlyWatches ? 'to join it again' : opened?.attached ? 'to go on here' : 'to restart'
  const isKept = opened?.ephemeral === false && state !== null && state.core.seq > 0
  const kept = isKept ? '; your conversation is saved' : ''
  return [
    { text: `The server ended${kept}. `, tone: 'bad', bold: true },
    { text: `Press ${key} ${way}`, tone: 'bad' },
  ]
}

/** Returns true if something waits for the server to start. */
function isWaitedFor({ unsent, opened }: UiState): boolean {
  return unsent.length > 0 || opened !== null
}

function turnActivity(state: ConversationState, turn: Turn, ui: UiState, nowMs: number): Activity | null {
  if (ui.stoppingTurn === turn.id) return still([{ text: 'stopping…', tone: 'warn' }])
  if (pendingApprovals(state, ui).length > 0) return null
  if (ui.answeredApproval !== null) return answerActivity(turn, ui, nowMs)
  const [approved] = approvedNotStarted(state)
  if (approved !== undefined) return still(notStartedLine(approved))
  if (turn.parked)
    return still([{ text: 'This turn waits. Enter on an empty line lets it go on, Esc ends it', tone: 'warn' }])
  if (turn.retry !== null && turn.retry.retryAt > nowMs) return retryActivity(turn.retry, nowMs)
  return workActivity(turn, nowMs)
}

/** Delay after which an answer counts as slow; normally it takes milliseconds. */
const answerSlowAfterMs = 1_000

function answerActivity(turn: Turn, { answeredAtMs }: UiState, nowMs: number): Activity {
  const slowAtMs = answeredAtMs + answerSlowAfterMs
  if (nowMs >= slowAtMs) return still([{ text: 'Sending the answer…', tone: 'warn' }])
  const work = workActivity(turn, nowMs)
  return { ...work, changesAtMs: Math.min(slowAtMs, work.changesAtMs ?? slowAtMs) }
}

function workActivity(turn: Turn, nowMs: number): Activity {
  const seconds = Math.max(0, Math.floor((nowMs - turn.startedAt) / 1000))
  const line: Line = [
    { text: 'working', tone: 'accent' },
    { text: ` ${elapsed(seconds)} · esc to interrupt`, tone: 'muted' },
  ]
  return { line, changesAtMs: turn.startedAt + (seconds + 1) * 1000 }
}

function notStartedLine({ title }: Approval): Line {
  return [
    { text: 'Approved, not started: ', bold: true, tone: 'warn' },
    { text: 'Enter runs it, Esc leaves it  ' },
    { text: shownLine(title), tone: 'muted' },
  ]
}

function retryActivity({ retryAt, failure }: NonNullable<Turn['retry']>, nowMs: number): Activity {
  const seconds = Math.ceil((retryAt - nowMs) / 1000)
  const line: Line = [
    { text: `${failureWords(failure)}, retrying in ${elapsed(seconds)}`, tone: 'warn' },
    { text: ' · esc to stop', tone: 'muted' },
  ]
  return { line, changesAtMs: retryAt - (seconds - 1) * 1000 }
}

const busy: ReadonlySet<string> = new Set(['overloaded', 'rateLimited', 'providerError'])
const cut: ReadonlySet<string> = new Set([
  'unreachable',
  'connectionReset',
  'connectTimeout',
  'streamCut',
  'idleTimeout',
])

function failureWords({ code, message }: Failure): string {
  if (busy.has(code)) return 'provider busy'
  if (cut.has(code)) return 'connection lost'
  return shownName(message).replace(/\.?\s*$/, '')
}

/** Returns whole seconds as text: `12 s`, `3 min 05 s`. */
function elapsed(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** Newest output lines shown of running calls. */
const tailLimit = 6

/** Returns the rows of streaming and running items, as the transcript will show them. */
export function runningRows({ core }: ConversationState, transcript: Transcript, room: Room): readonly Line[] {
  const rows: Line[] = []
  let last = transcript.last
  const put = (kind: BlockKind, lines: readonly Line[]) => {
    if (lines.length === 0) return
    rows.push(...gapBefore(last, kind), ...lines)
    last = kind
  }
  const { stream } = transcript
  if (stream?.begun === true && last === 'message') rows.push(...liveRows(stream, room))
  else if (stream !== null) put('message', liveRows(stream, room))
  const shown = Object.values(core.open).filter((open) => isShown(open, stream?.itemId))
  const looking = shown.flatMap(({ item }) => looksAt(item) ?? [])
  const lookUps = [...transcript.lookUps, ...looking]
  if (lookUps.length > 0)
    put('lookUp', lookUpBlock(lookUps, room, looking.length > 0 ? 'Looking at' : 'Looked at').lines)
  for (const open of shown) if (looksAt(open.item) === null) put(kindOf(open.item), openRows(open, room))
  const waiting = Object.values(core.open).filter(({ item }) => item.status === 'proposed').length
  if (waiting > 0 && shown.length > 0) rows.push(...indented([[{ text: `${waiting} more to do`, tone: 'muted' }]]))
  return rows
}

/** Returns true for a running call, including one that asks the user while it runs. */
function isShown({ item, executionStarted }: OpenItem, streamed: ItemId | undefined): boolean {
  const runs = item.status === 'inProgress' || (item.status === 'awaitingApproval' && executionStarted)
  return item.id !== streamed && runs && item.type !== 'agentMessage'
}

function kindOf(item: Item): BlockKind {
  return item.type === 'reasoning' ? 'reasoning' : 'call'
}

function openRows({ item, output, progress }: OpenItem, room: Room): readonly Line[] {
  switch (item.type) {
    case 'commandExecution':
    case 'shellCommand':
      return runningCommand(item, progress?.tail ?? output, room, tailLimit)
    case 'fileChange':
      return changeHead(item, room)
    case 'toolCall':
      return [...toolRows(item, room), ...hung(tailRows(progress?.tail ?? output, below(room), tailLimit))]
    case 'reasoning':
      return reasoningRows(item, room)
    default:
      return []
  }
}
