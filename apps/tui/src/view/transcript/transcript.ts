import { lookedAt } from '@parley/presentation/items/looked-at'
import { followTurn, isFinished, type TurnClock } from '@parley/presentation/items/turn-clock'
import type { Notice } from '@parley/presentation/notices/notice'
import { actorName } from '@parley/presentation/question/answered-words'
import { count } from '@parley/presentation/text/formats'
import type { Room } from '@parley/presentation/text/span'
import type { ClientId, CompletedItem, ConversationCore, ConversationState, Item } from '@parley/protocol'
import { wrapLines } from '../text/fit-rows.ts'
import { beside, indented } from '../text/gutter.ts'
import { type BlockKind, endingBlock, gapBefore, type TranscriptBlock } from './block.ts'
import { itemBlock } from './item-block.ts'
import { localNoticeBlock } from './local-notice-block.ts'
import { isPlanUpdate, lookUpBlock } from './look-ups.ts'
import { followText, type MessageStream, openStream, restRows } from './message-stream.ts'
import { noticeRows } from './notice-block.ts'
import { fitsRow, planBlock, planRow } from './plan-rows.ts'

/** Record of the printed parts of a conversation; the text itself is only in the terminal. */
export interface Transcript {
  /** Completed items printed or skipped. */
  readonly itemCount: number
  readonly noticeCount: number
  /** The plan that was printed, as JSON. */
  readonly plan: string
  /** Turn that made or changed that plan; null where no turn ran. */
  readonly planTurn: string | null
  readonly stream: MessageStream | null
  readonly last: BlockKind | null
  /** Look-ups since the last other block, which are printed together before the next. */
  readonly lookUps: readonly string[]
  readonly turn: TurnClock | null
  /** Completed items from before this client joined; their authors are not shown. */
  readonly earlierItems: number
}

export interface TranscriptInput {
  readonly state: ConversationState | null
  /** All notices so far; only new ones are printed. */
  readonly notices: readonly Notice[]
  readonly room: Room
  /** Client ids of this window's connections. */
  readonly own: readonly ClientId[]
  readonly nowMs: number
  /** Local time minus UTC, in ms. */
  readonly utcOffsetMs: number
}

export const emptyTranscript: Transcript = {
  itemCount: 0,
  noticeCount: 0,
  plan: 'null',
  planTurn: null,
  stream: null,
  last: null,
  lookUps: [],
  turn: null,
  earlierItems: 0,
}

interface TranscriptScan extends TranscriptInput {
  transcript: Transcript
  readonly blocks: TranscriptBlock[]
}

/**
 * Returns blocks that became final since the last call, to print below everything printed before. Settles message text
 * piece by piece as it arrives, so that a long answer never fills the live zone.
 */
export function settle(
  transcript: Transcript,
  settling: TranscriptInput,
): { transcript: Transcript; blocks: readonly TranscriptBlock[] } {
  const scan: TranscriptScan = { ...settling, transcript, blocks: [] }
  for (const notice of scan.notices.slice(transcript.noticeCount)) put(scan, localNoticeBlock(notice, scan.room))
  change(scan, { noticeCount: scan.notices.length })
  if (scan.state !== null) settleState(scan, scan.state)
  return { transcript: scan.transcript, blocks: scan.blocks }
}

function settleState(scan: TranscriptScan, state: ConversationState): void {
  const first = state.core.counts.items - state.window.length
  const { itemCount } = scan.transcript
  if (first > itemCount) put(scan, note(scan, `… ${count(first - itemCount)} items are not shown here (Ctrl+T)`))
  const begin = Math.max(0, itemCount - first)
  for (const [index, completed] of state.window.slice(begin).entries()) {
    endTurnBefore(scan, state, completed)
    settleItem(scan, completed, first + begin + index >= scan.transcript.earlierItems)
  }
  change(scan, { itemCount: state.core.counts.items })
  dropLostStream(scan, state)
  settlePlan(scan, state)
  followStream(scan, state)
  followClock(scan, state)
}

/** Ends the turn above the first item of the next one, which may be known at the same time. */
function endTurnBefore(scan: TranscriptScan, { core }: ConversationState, { turnId }: CompletedItem): void {
  if (turnId !== null && turnId === core.turn?.id) putEnding(scan, core, turnId)
}

/** Ends a turn with its look-ups and its time, and follows the next. */
function followClock(scan: TranscriptScan, state: ConversationState): void {
  const turn = followTurn(scan.transcript.turn, state, scan.nowMs)
  if (turn === null) putLookUps(scan)
  putEnding(scan, state.core, turn?.turnId ?? null)
  change(scan, { turn })
}

/** Prints the time of the last turn, once it has ended or another one runs. */
function putEnding(scan: TranscriptScan, core: ConversationCore, runningId: string | null): void {
  const { turn: clock } = scan.transcript
  if (clock === null || clock.turnId === runningId) return
  const left = scan.transcript.planTurn === clock.turnId ? core.plan : null
  const ending = endingBlock(clock, { core, plan: left }, scan.utcOffsetMs)
  change(scan, { turn: null })
  if (ending !== null) put(scan, { ...ending, lines: wrapLines(ending.lines, scan.room) })
}

function settleItem(scan: TranscriptScan, { item }: CompletedItem, isNew: boolean): void {
  const { stream } = scan.transcript
  const looked = lookedAt(item)
  if (stream?.itemId === item.id) endStream(scan, stream, item)
  else if (looked !== null) change(scan, { lookUps: [...scan.transcript.lookUps, looked] })
  else if (!isPlanUpdate(item)) put(scan, itemBlock(item, scan.room, isNew ? authorElsewhere(scan, item) : null))
}

/** Returns the author's name if another client sent the item. */
function authorElsewhere({ own }: TranscriptScan, item: Item): string | null {
  const by = 'by' in item ? item.by : undefined
  return by === undefined || own.includes(by.clientId) ? null : actorName(by)
}

function endStream(scan: TranscriptScan, stream: MessageStream, item: Item): void {
  change(scan, { stream: null })
  const { room } = scan
  const followed = followText(stream, item.text, room)
  if (followed !== null) {
    appendToMessage(scan, stream, [...followed.rows, ...restRows(followed.stream, room)])
    return
  }
  if (stream.begun) put(scan, note(scan, 'the server saved this answer with a different text; the saved answer is:'))
  put(scan, itemBlock(item, scan.room))
}

/** Ends the stream of a discarded item; the text already printed stays. */
function dropLostStream(scan: TranscriptScan, { core }: ConversationState): void {
  const { stream } = scan.transcript
  if (stream === null || core.open[stream.itemId] !== undefined) return
  change(scan, { stream: null })
  if (stream.seen === '') return
  // What becomes of the turn is not known yet: it may ask again at once, wait for a key, or end.
  put(scan, note(scan, 'connection lost, this answer is not kept'))
}

/** Follows one message at a time; another open message waits until the first is complete. */
function followStream(scan: TranscriptScan, { core }: ConversationState): void {
  const current = scan.transcript.stream
  const open =
    current === null
      ? Object.values(core.open).find(({ item }) => item.type === 'agentMessage')
      : core.open[current.itemId]
  if (open === undefined) return
  const stream = current ?? openStream(open.item.id)
  const followed = followText(stream, open.item.text, scan.room)
  if (followed === null) return
  appendToMessage(scan, stream, followed.rows)
  change(scan, { stream: followed.stream })
}

/** Appends rows to a message: the first rows get a gap, later ones contain theirs. */
function appendToMessage(scan: TranscriptScan, { begun }: MessageStream, lines: TranscriptBlock['lines']): void {
  if (lines.length === 0) return
  putLookUps(scan)
  const isInPlace = begun && scan.transcript.last === 'message'
  if (isInPlace) scan.blocks.push({ kind: 'message', lines })
  else put(scan, { kind: 'message', lines: begun && lines[0]?.length === 0 ? lines.slice(1) : lines })
}

function settlePlan(scan: TranscriptScan, { core: { plan, turn } }: ConversationState): void {
  const written = JSON.stringify(plan)
  if (written === scan.transcript.plan) return
  const isFirst = scan.transcript.plan === emptyTranscript.plan
  change(scan, { plan: written, planTurn: turn?.id ?? null })
  if (plan === null) return
  // Steps that one row would cut are printed whole, the first time.
  const isWhole = isFirst && !fitsRow(plan, beside(scan.room))
  put(
    scan,
    isWhole ? planBlock(plan, scan.room) : { kind: 'plan', lines: indented([planRow(plan, beside(scan.room))]) },
  )
}

/** Prints the look-ups that wait, because something else follows them or the turn has ended. */
function putLookUps(scan: TranscriptScan): void {
  const { lookUps } = scan.transcript
  change(scan, { lookUps: [] })
  if (lookUps.length > 0) put(scan, lookUpBlock(lookUps, scan.room))
}

function put(scan: TranscriptScan, { kind, lines }: TranscriptBlock): void {
  if (lines.length === 0) return
  putLookUps(scan)
  scan.blocks.push({ kind, lines: [...gapBefore(scan.transcript.last, kind), ...lines] })
  change(scan, { last: kind })
}

function change(scan: TranscriptScan, change: Partial<Transcript>): void {
  scan.transcript = { ...scan.transcript, ...change }
}

function note({ room }: TranscriptScan, text: string): TranscriptBlock {
  return { kind: 'notice', lines: noticeRows('info', text, room) }
}

/**
 * Returns a transcript that starts at the newest items that fill `maxRows`, or slightly more. Earlier items count as
 * skipped and stay in the log.
 */
export function openTranscript(
  transcript: Transcript,
  { core, window }: ConversationState,
  room: Room,
  maxRows: number,
): Transcript {
  let from = window.length
  for (let rows = 0; from > 0 && rows < maxRows; from--) {
    const completed = window[from - 1]
    if (completed !== undefined) rows += itemBlock(completed.item, room).lines.length + 1
  }
  // A copy is opened below its original, and the screen already has the finished plan of that.
  const isPrinted = maxRows === 0 && core.plan !== null && isFinished(core.plan)
  return {
    ...transcript,
    itemCount: core.counts.items - window.length + from,
    plan: isPrinted ? JSON.stringify(core.plan) : 'null',
    planTurn: null,
    stream: null,
    earlierItems: core.counts.items,
  }
}
