import { type ConversationEvent, initialState, recover } from '@parley/protocol'
import type { EventLog } from '../log/event-log.ts'
import type { Files } from '../log/files.ts'
import { LogView } from '../log/log-view.ts'
import { openLog, type WritableLog } from '../log/open-log.ts'
import type { LossReports } from '../log/scan-log.ts'
import type { SessionPaths } from '../log/session-paths.ts'
import { createLogFold, type LogFold } from './fold-log.ts'

/** A conversation as its log tells it. */
export interface LoadedConversation {
  readonly fold: LogFold
  readonly headCrc: string | null
  /** Higher than any number the log ever held. */
  readonly nextSeq: number
  /** Null when it may only be read. */
  readonly log: EventLog | null
  /** To be recorded first: what a crash or damage left to settle, with one line that says so. */
  readonly recovery: readonly ConversationEvent[]
  readonly warnings: readonly string[]
}

/** Ranges that an earlier `conversation.recovered` already named are not reported again. */
const lossReports: LossReports = {
  type: 'conversation.recovered',
  ranges: (event) => lostRanges(event['lost']),
}

function lostRanges(lost: unknown): { fromSeq: number; toSeq: number }[] {
  if (!Array.isArray(lost)) return []
  return lost.filter((range: unknown) => isRange(range))
}

function isRange(value: unknown): value is { fromSeq: number; toSeq: number } {
  return typeof value === 'object' && value !== null && 'fromSeq' in value && 'toSeq' in value
}

/** Opens for writing; the caller holds the lock. A log of a newer format is loaded read-only. */
export async function loadConversation(
  files: Files,
  paths: SessionPaths,
  conversationId: string,
): Promise<LoadedConversation> {
  const fold = createLogFold(initialState(conversationId, forkPointOf(files, paths.log)))
  const opened = await openLog(files, paths.log, { visit: fold.take, reports: lossReports })
  if (opened.readOnly) return viewConversation(files, paths, conversationId, [opened.reason])
  const recovery = recoveryEvents(fold, opened)
  const warnings =
    opened.uncheckedSeqs.length > 0
      ? [`${opened.uncheckedSeqs.length} lines of the log were edited by hand; they are taken as they are.`]
      : []
  return { fold, headCrc: opened.last?.crc ?? null, nextSeq: opened.nextSeq, log: opened.log, recovery, warnings }
}

/** Reads without the lock and changes nothing. */
export function viewConversation(
  files: Files,
  paths: SessionPaths,
  conversationId: string,
  warnings: readonly string[] = [],
): LoadedConversation {
  using view = LogView.open(files, paths.log)
  const forkedFrom = view.header()?.forkedFrom ?? null
  const fold = createLogFold(
    initialState(conversationId, forkedFrom === null ? null : { id: forkedFrom.id, seq: forkedFrom.seq }),
  )
  for (const line of view.lines()) fold.take(line)
  return { fold, headCrc: null, nextSeq: fold.state.core.seq + 1, log: null, recovery: [], warnings }
}

function forkPointOf(files: Files, path: string): { id: string; seq: number } | null {
  using view = LogView.open(files, path)
  const forkedFrom = view.header()?.forkedFrom
  return forkedFrom === undefined ? null : { id: forkedFrom.id, seq: forkedFrom.seq }
}

function recoveryEvents(fold: LogFold, opened: WritableLog): readonly ConversationEvent[] {
  const settling = recover(fold.state)
  const { core } = fold.state
  const lost = opened.lost.map(({ fromSeq, toSeq }) => ({ fromSeq, toSeq, reason: 'damaged' }))
  const tornBytes = opened.torn?.sizeBytes ?? 0
  if (settling.length === 0 && lost.length === 0 && tornBytes === 0) return []
  const parked = settling.find((event) => event.type === 'turn.parked')
  const pending = Object.values(core.approvals).filter(({ state }) => state === 'pending')
  const about = {
    by: { pid: process.pid, program: 'parley' },
    lost,
    tornBytes,
    parked: parked?.turnId ?? (core.turn?.parked === true ? core.turn.id : null),
    pending: pending.map(({ id }) => id),
  }
  return [{ type: 'conversation.recovered', ...about, text: recoveryText(about, settling) }, ...settling]
}

function recoveryText(
  { lost, tornBytes, pending }: { lost: readonly unknown[]; tornBytes: number; pending: readonly string[] },
  settling: readonly ConversationEvent[],
): string {
  const items = settling.flatMap((event) => (event.type === 'item.completed' ? [event.item] : []))
  const unknown = items.filter(({ status }) => status === 'unknown')
  const parts = [
    ...(tornBytes > 0 ? [`an unfinished last line (${tornBytes} bytes) was kept aside`] : []),
    ...(lost.length > 0 ? [`${lost.length} damaged ${lost.length === 1 ? 'place' : 'places'} in the log skipped`] : []),
    ...(unknown.length > 0 ? [`started, end unknown: ${unknown.map(({ title }) => title).join(', ')}`] : []),
    ...(pending.length > 0
      ? [`${pending.length} ${pending.length === 1 ? 'approval waits' : 'approvals wait'} for you again`]
      : []),
  ]
  return `Recovered after parley ended unexpectedly${parts.length === 0 ? '' : `: ${parts.join('; ')}`}.`
}
