import {
  type EventLog,
  type Files,
  formatOf,
  LOG_FORMAT,
  type LogHeader,
  type LogLine,
  LogView,
  type LossReports,
  lineCrc,
  newerLogText,
  openLog,
  type SessionPaths,
} from '@parley/journal'
import { type ConversationEvent, type ConversationState, initialState, recover } from '@parley/protocol'
import type { TakenEnvironment } from '@parley/workspace'
import { createLogFold, createLogReader, type LogFold, type LogReader } from '../conversation/log-reader.ts'
import { inspectUnknown } from './inspect-unknown.ts'
import { recoveryEvents } from './recovery-events.ts'

/** A conversation as its log tells it. */
export interface LoadedConversation {
  readonly fold: LogFold
  /** Has read all of it. */
  readonly reader: LogReader
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

interface LoadPorts {
  readonly files: Files
  /** Where it works; looked at only where a crash hid what became of a patch. */
  readonly takeEnvironment: (state: ConversationState) => TakenEnvironment
}

/** Opens for writing; the caller holds the lock. A log of a newer format is loaded read-only. */
export async function loadConversation(
  { files, takeEnvironment }: LoadPorts,
  paths: SessionPaths,
  conversationId: string,
): Promise<LoadedConversation> {
  const header = headerOf(files, paths.log)
  const { fold, reader } = beginFold(header, conversationId)
  const opened = await openLog(files, paths.log, { visit: (line) => void fold.take(line), reports: lossReports })
  if (opened.readOnly) return viewConversation(files, paths, conversationId, [opened.reason])
  const { log, nextSeq, last, uncheckedSeqs } = opened
  // By its events, where its header is damaged.
  if (reader.version > Math.max(LOG_FORMAT, formatOf(header))) {
    await log[Symbol.asyncDispose]()
    return viewConversation(files, paths, conversationId, [newerLogText(reader.version)])
  }
  try {
    const { environment: place, release } = takeEnvironment(fold.state)
    const settling = await inspectUnknown(recover(fold.state), {
      files,
      patches: place.patches,
      folder: paths.sideFiles,
      cwd: fold.state.core.meta.cwd,
    }).finally(release)
    const recovery = recoveryEvents(fold.state, opened, settling)
    const warnings = editWarnings(uncheckedSeqs.length)
    return { fold, reader, headCrc: last?.crc ?? null, nextSeq, log, recovery, warnings }
  } catch (error) {
    await log[Symbol.asyncDispose]()
    throw error
  }
}

function editWarnings(count: number): string[] {
  if (count === 0) return []
  const lines = count === 1 ? '1 line of the log was' : `${count} lines of the log were`
  return [`${lines} edited by hand and taken as found.`]
}

/** Reads without the lock and changes nothing. */
export function viewConversation(
  files: Files,
  paths: SessionPaths,
  conversationId: string,
  warnings: readonly string[] = [],
): LoadedConversation {
  using view = LogView.open(files, paths.log)
  const { fold, reader } = beginFold(view.header(), conversationId)
  let newest: LogLine | null = null
  for (const line of view.lines()) {
    fold.take(line)
    newest = line
  }
  const headCrc = newest === null || newest.unchecked ? null : lineCrc(newest)
  return { fold, reader, headCrc, nextSeq: fold.state.core.seq + 1, log: null, recovery: [], warnings }
}

function headerOf(files: Files, path: string): LogHeader | null {
  using view = LogView.open(files, path)
  return view.header()
}

function beginFold(header: LogHeader | null, conversationId: string) {
  const forkedFrom = header?.forkedFrom
  const point = forkedFrom === undefined ? null : { id: forkedFrom.id, seq: forkedFrom.seq }
  const reader = createLogReader(header)
  return { reader, fold: createLogFold(initialState(conversationId, point), reader) }
}
