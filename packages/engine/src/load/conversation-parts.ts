import { rmSync } from 'node:fs'
import { layerOfOverrides } from '@parley/config'
import { type Host, makeOwnFolder, timeSlices } from '@parley/host'
import {
  EventLog,
  type Files,
  formatOf,
  LOG_FORMAT,
  LogView,
  lineCrc,
  newerLogText,
  newHeader,
  openLog,
  type SessionPaths,
  sessionPaths,
} from '@parley/journal'
import {
  type Access,
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  initialState,
  type Overrides,
  type ParamsOf,
  recover,
} from '@parley/protocol'
import type { TakenEnvironment } from '@parley/workspace'
import { trackCheckpointPlaces } from '../conversation/checkpoint-content.ts'
import { type CheckpointLimits, createCheckpointWriter } from '../conversation/checkpoint-writer.ts'
import type { ConversationOwner, ConversationStorage, LogEnd, LogToRecord } from '../conversation/conversation.ts'
import { createJournal, createViewJournal } from '../conversation/journal.ts'
import { createSideFiles } from '../conversation/side-files.ts'
import { createModelView } from '../core/model-view.ts'
import { nothingRecovered, type RecoveredLine, recoveredLine } from '../core/recovered-line.ts'
import { emptyFold } from '../core/view/view-fold.ts'
import { rejection } from '../replies/rejection.ts'
import { findRunning, type RunningOn } from '../session/running-on.ts'
import type { NewSettings } from '../settings/initial-settings.ts'
import { beginFold, beginFromCheckpoint, type FoldBegin, headerOf, linesWhenNeeded, lossReports } from './begin-fold.ts'
import { proveCheckpoint } from './prove-checkpoint.ts'
import { editWarnings, inspectUnknown, recoveryEvents } from './recovery.ts'

/** Parts of a conversation that is being opened, new or loaded. */
export interface OpenParts extends RunningOn, LogEnd, Pick<ConversationStorage, 'sideFiles' | 'readOnly'> {
  readonly paths: SessionPaths
  readonly recovered: RecoveredLine
  readonly warnings: readonly string[]
  /** Settings of a conversation without a log. */
  readonly created?: NewSettings
  /** Overrides of the caller; an open conversation keeps the providers they define. */
  readonly overrides: Overrides
  /** Begins to compare its checkpoint with the log, and returns a function that stops it. Null without an unproven checkpoint. */
  readonly prove: ((onWrong: () => void) => () => void) | null
}

/** Log of a conversation that is being opened: on this machine, or one that a shipment sends to a store. */
export interface OpenLog extends LogToRecord {
  /** Right to a conversation of a store; null for other conversations. */
  readonly owner: ConversationOwner | null
  readonly dispose: () => void
}

/** Conversation that is being opened, with its log. */
export interface OpenConversation {
  readonly parts: OpenParts
  readonly log: OpenLog
}

interface NewConversation {
  readonly conversationId: ConversationId
  readonly home: string
  readonly params: ParamsOf<'conversation/create'>
  readonly created: NewSettings
  /** Access of users; undefined on a server without users. */
  readonly access: Access | undefined
  /** Called when its log is made. */
  readonly onStart: () => void
  readonly processes: Pick<Host, 'startGuard' | 'removeWhenKilled'>
  readonly checkpoints: CheckpointLimits
}

/** Returns the parts of a new conversation; its log is made when the first event is recorded. */
export function newParts(files: Files, opening: NewConversation): OpenConversation {
  const { conversationId, home, params, created, access, onStart, checkpoints } = opening
  const isEphemeral = params.ephemeral === true
  const { root, dispose } = isEphemeral ? temporaryRoot(opening) : { root: home, dispose: () => undefined }
  const paths = sessionPaths(root, conversationId)
  if (paths === null) throw rejection('internal', 'A new conversation got an invalid id.')
  const { core, window } = initialState(conversationId)
  const meta = { ...core.meta, cwd: created.cwd, ...(access === undefined ? {} : { access }) }
  const lines = linesWhenNeeded(files, paths.log, conversationId)
  const parts: OpenParts = {
    paths,
    state: { core: { ...core, meta, settings: created.settings }, window },
    view: createModelView(emptyFold(lines.readEvent)),
    checkpointPlaces: trackCheckpointPlaces(),
    headCrc: null,
    nextSeq: 1,
    readOnly: false,
    logVersion: LOG_FORMAT,
    sideFiles: createSideFiles(files, paths.sideFiles),
    recovered: nothingRecovered,
    warnings: created.warnings,
    created,
    overrides: params,
    prove: null,
    ...nothingRuns,
  }
  const log: OpenLog = {
    journal: null,
    startJournal() {
      const header = newHeader(conversationId)
      const log = EventLog.create(files, paths.log, { header, home: root, reports: lossReports })
      if (!isEphemeral) onStart()
      return createJournal(log, null, createCheckpointWriter(paths.checkpoint, checkpoints))
    },
    owner: null,
    dispose() {
      lines[Symbol.dispose]()
      dispose()
    },
  }
  return { parts, log }
}

/** Makes the folder of an ephemeral conversation, which goes with the conversation or with a killed process. */
function temporaryRoot({ processes }: NewConversation) {
  const root = makeOwnFolder('ephemeral')
  processes.startGuard()
  const forget = processes.removeWhenKilled(root)
  return {
    root,
    dispose() {
      rmSync(root, { recursive: true, force: true })
      forget()
    },
  }
}

interface Loading {
  readonly paths: SessionPaths
  readonly loaded: LoadedConversation
  readonly overrides: Overrides
  readonly checkpoints: CheckpointLimits
}

/** Returns the parts of a conversation that was loaded from its log. */
export function loadedParts(files: Files, { paths, loaded, overrides, checkpoints }: Loading): OpenConversation {
  const { begin, headCrc, nextSeq, log, recovery, warnings, runningOn, names, hidden } = loaded
  const { fold, reader, lines, checkpoint } = begin
  const { conversationId } = fold.state.core.meta
  const { proofDelayMs: delayMs } = checkpoints
  const writer = createCheckpointWriter(paths.checkpoint, checkpoints, checkpoint?.stamp.sizeBytes)
  const parts: OpenParts = {
    paths,
    state: loaded.state ?? fold.state,
    view: fold.view,
    checkpointPlaces: fold.checkpointPlaces,
    headCrc,
    nextSeq,
    readOnly: log === null,
    logVersion: reader.version,
    sideFiles: createSideFiles(files, paths.sideFiles),
    recovered: recoveredLine(recovery, fold.state.core, runningOn),
    warnings: [...warnings, ...layerOfOverrides(overrides.config ?? {}, '-c').warnings],
    overrides,
    prove:
      log === null || checkpoint === null || checkpoint.proven
        ? null
        : (onWrong) => proveCheckpoint({ files, paths, conversationId, checkpoint, delayMs, onWrong }),
    runningOn,
    names,
    hidden,
  }
  const journal =
    log === null
      ? createViewJournal(files, paths.log, { reader, lines })
      : createJournal(log, { reader, lines }, writer)
  return { parts, log: { journal, owner: null, dispose: () => void loaded.release() } }
}

/** Conversation that was loaded from its log. */
export interface LoadedConversation extends RunningOn {
  /** Fold of the whole log, with the reader that has read it. */
  readonly begin: FoldBegin
  /** State that it opens with; default: the state of the fold. */
  readonly state?: ConversationState
  readonly headCrc: string | null
  /** Next number, higher than any the log ever held. */
  readonly nextSeq: number
  /** Log for appending; null when it may only be read. */
  readonly log: EventLog | null
  /** Events to record first: they settle the work that a crash or damage left open. */
  readonly recovery: readonly ConversationEvent[]
  /** Releases the environment of the running commands. */
  readonly release: () => Promise<void>
  readonly warnings: readonly string[]
}

interface LoadPorts {
  readonly files: Files
  /** Takes the environment, which is inspected only where a crash hid the end of a patch. */
  readonly takeEnvironment: (state: ConversationState) => TakenEnvironment
  readonly checkpoints: CheckpointLimits
  /** True when a turn that ran at the end of its server goes on here. */
  readonly goesOn: boolean
}

/** Loads a conversation for writing under the caller's lock. A log of a newer format is loaded read-only. */
export async function loadConversation(
  { files, takeEnvironment, checkpoints, goesOn }: LoadPorts,
  paths: SessionPaths,
  conversationId: ConversationId,
): Promise<LoadedConversation> {
  const header = headerOf(files, paths.log)
  let begin: FoldBegin | null = null
  const beginning = { files, paths, conversationId, key: checkpoints.key }
  const opened = await openLog(files, paths.log, {
    async from(file) {
      begin = await beginFromCheckpoint(file, beginning)
      return begin?.checkpoint?.mark ?? null
    },
    visit: (line) => {
      begin ??= beginFold(beginning)
      begin.fold.take(line)
      return !begin.reader.isLeftOut(line.seq)
    },
    reports: lossReports,
    folders: paths.folders,
  })
  if (opened.readOnly) return viewConversation(files, paths, { conversationId, checkpoints, warnings: [opened.reason] })
  const loading: FoldBegin = begin ?? beginFold(beginning)
  const { fold, reader } = loading
  const { log, nextSeq, last, uncheckedSeqs } = opened
  try {
    // A damaged header does not name the version, but the events do.
    if (reader.version > Math.max(LOG_FORMAT, formatOf(header))) {
      await log[Symbol.asyncDispose]()
      loading.lines[Symbol.dispose]()
      const warnings = [newerLogText(reader.version)]
      return await viewConversation(files, paths, { conversationId, checkpoints, warnings })
    }
    const { environment, release } = takeEnvironment(fold.state)
    const { runningOn, names, hidden } = await findRunning(fold, environment.kept)
    // Commands that run there need the connection until the conversation is open.
    const held = runningOn.size > 0 ? release : () => Promise.resolve()
    const settling = await inspectUnknown(recover(fold.state, goesOn, runningOn), {
      files,
      patches: environment.patches,
      folder: paths.sideFiles,
      cwd: fold.state.core.meta.cwd,
    }).finally(runningOn.size > 0 ? undefined : release)
    const recovery = recoveryEvents(fold.state, opened, { settling, goesOn, runningOn })
    const warnings = editWarnings(uncheckedSeqs.length)
    const headCrc = last?.crc ?? null
    return { begin: loading, headCrc, nextSeq, log, recovery, runningOn, names, hidden, release: held, warnings }
  } catch (error) {
    await log[Symbol.asyncDispose]()
    loading.lines[Symbol.dispose]()
    throw error
  }
}

const nothingRuns: RunningOn = { runningOn: new Map(), names: new Set(), hidden: [] }

interface ViewOptions {
  readonly conversationId: ConversationId
  readonly checkpoints: CheckpointLimits
  readonly warnings?: readonly string[]
}

/** Loads a conversation read-only, without its lock. */
export async function viewConversation(
  files: Files,
  paths: SessionPaths,
  { conversationId, checkpoints, warnings = [] }: ViewOptions,
): Promise<LoadedConversation> {
  const beginning = { files, paths, conversationId, key: checkpoints.key }
  const file = files.open(paths.log, 'read')
  using view = LogView.open(files, paths.log)
  const begun = await beginFromCheckpoint(file, beginning).finally(() => files.close(file))
  const begin = begun ?? beginFold(beginning)
  const mark = begun?.checkpoint?.mark
  let headCrc = mark?.crc ?? null
  const slices = timeSlices()
  const range = mark === undefined ? {} : { after: mark.seq, fromOffset: view.bodyStart() + mark.endPlace }
  for (const line of view.lines(range)) {
    begin.fold.take(line)
    headCrc = line.unchecked ? null : lineCrc(line)
    if (slices.isOver()) await slices.next()
  }
  const nextSeq = begin.fold.state.core.seq + 1
  return { begin, headCrc, nextSeq, log: null, recovery: [], ...nothingRuns, release: async () => undefined, warnings }
}
