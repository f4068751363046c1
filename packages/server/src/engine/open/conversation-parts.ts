import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layerOfOverrides } from '@parley/config'
import {
  EventLog,
  type Files,
  formatOf,
  LOG_FORMAT,
  type LogHeader,
  type LogLine,
  LogView,
  type LossReports,
  lineCrc,
  newerLogText,
  newHeader,
  openLog,
  type SessionPaths,
  sessionPaths,
} from '@parley/journal'
import {
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  initialState,
  type Overrides,
  type ParamsOf,
  recover,
} from '@parley/protocol'
import type { TakenEnvironment } from '@parley/workspace'
import { createModelView } from '../../core/model-view.ts'
import { rejection } from '../../replies/rejection.ts'
import type { ConversationParts } from '../conversation/conversation.ts'
import {
  createJournal,
  createLogFold,
  createLogReader,
  createViewJournal,
  type LogFold,
  type LogReader,
} from '../conversation/journal.ts'
import { createSideFiles } from '../conversation/side-files.ts'
import type { InitialSettings } from '../settings/initial-settings.ts'
import { inspectUnknown, recoveryEvents } from './recovery.ts'

/** Parts of a conversation that is being opened, new or loaded. */
export interface OpenParts extends Omit<ConversationParts, 'clock' | 'program' | 'redact' | 'onLoss' | 'patience'> {
  readonly paths: SessionPaths
  /** Line about what a crash left; null when the last process closed the conversation in good order. */
  readonly recovered: string | null
  readonly warnings: readonly string[]
  /** Overrides of the caller; an open conversation keeps the providers they define. */
  readonly overrides: Overrides
  readonly dispose: () => void
}

interface NewConversation {
  readonly conversationId: ConversationId
  readonly home: string
  readonly params: ParamsOf<'conversation/create'>
  readonly created: InitialSettings
  /** Called when its log is made. */
  readonly onStart: () => void
}

/** Makes the folder of an ephemeral conversation, which its owner can enter whatever the umask is. */
function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'parley-ephemeral-'))
  chmodSync(path, 0o700)
  return path
}

/** Returns the parts of a new conversation; its log is made when the first event is recorded. */
export function newParts(files: Files, { conversationId, home, params, created, onStart }: NewConversation): OpenParts {
  const isEphemeral = params.ephemeral === true
  const root = isEphemeral ? temporaryFolder() : home
  const paths = sessionPaths(root, conversationId)
  if (paths === null) throw rejection('internal', 'A new conversation got an invalid id.')
  const { core, window } = initialState(conversationId)
  const meta = { ...core.meta, cwd: created.cwd }
  return {
    paths,
    state: { core: { ...core, meta, settings: created.settings }, window },
    view: createModelView(),
    headCrc: null,
    nextSeq: 1,
    readOnly: false,
    logVersion: LOG_FORMAT,
    journal: null,
    startJournal() {
      const log = EventLog.create(files, paths.log, { header: newHeader(conversationId), home: root })
      if (!isEphemeral) onStart()
      return createJournal(log)
    },
    sideFiles: createSideFiles(files, paths.sideFiles),
    recovered: null,
    warnings: created.warnings,
    overrides: params,
    dispose: () => {
      if (isEphemeral) rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Returns the parts of a conversation that was loaded from its log. */
export function loadedParts(
  files: Files,
  { paths, loaded, overrides }: { paths: SessionPaths; loaded: LoadedConversation; overrides: Overrides },
): OpenParts {
  const { fold, reader, headCrc, nextSeq, log, recovery, warnings } = loaded
  const [first] = recovery
  return {
    paths,
    state: fold.state,
    view: fold.view,
    headCrc,
    nextSeq,
    readOnly: log === null,
    journal: log === null ? createViewJournal(files, paths.log, reader) : createJournal(log, reader),
    logVersion: reader.version,
    sideFiles: createSideFiles(files, paths.sideFiles),
    recovered: first?.type === 'conversation.recovered' ? first.text : null,
    warnings: [...warnings, ...layerOfOverrides(overrides.config ?? {}, '-c').warnings],
    overrides,
    dispose: () => undefined,
  }
}

/** Conversation that was loaded from its log. */
export interface LoadedConversation {
  readonly fold: LogFold
  /** Reader that has read the whole log. */
  readonly reader: LogReader
  readonly headCrc: string | null
  /** Next number, higher than any the log ever held. */
  readonly nextSeq: number
  /** Log for appending; null when it may only be read. */
  readonly log: EventLog | null
  /** Events to record first: they settle what a crash or damage left. */
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
  /** Takes the environment, which is inspected only where a crash hid the end of a patch. */
  readonly takeEnvironment: (state: ConversationState) => TakenEnvironment
}

/** Loads a conversation for writing under the caller's lock. A log of a newer format is loaded read-only. */
export async function loadConversation(
  { files, takeEnvironment }: LoadPorts,
  paths: SessionPaths,
  conversationId: ConversationId,
): Promise<LoadedConversation> {
  const header = headerOf(files, paths.log)
  const { fold, reader } = beginFold(header, conversationId)
  const opened = await openLog(files, paths.log, { visit: (line) => void fold.take(line), reports: lossReports })
  if (opened.readOnly) return viewConversation(files, paths, conversationId, [opened.reason])
  const { log, nextSeq, last, uncheckedSeqs } = opened
  // A damaged header does not name the version, but the events do.
  if (reader.version > Math.max(LOG_FORMAT, formatOf(header))) {
    await log[Symbol.asyncDispose]()
    return viewConversation(files, paths, conversationId, [newerLogText(reader.version)])
  }
  try {
    const { environment, release } = takeEnvironment(fold.state)
    const settling = await inspectUnknown(recover(fold.state), {
      files,
      patches: environment.patches,
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

/** Loads a conversation read-only, without its lock. */
export function viewConversation(
  files: Files,
  paths: SessionPaths,
  conversationId: ConversationId,
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

function beginFold(header: LogHeader | null, conversationId: ConversationId) {
  const forkedFrom = header?.forkedFrom
  const point = forkedFrom === undefined ? null : { id: forkedFrom.id, seq: forkedFrom.seq }
  const reader = createLogReader(header)
  return { reader, fold: createLogFold(initialState(conversationId, point), reader) }
}
