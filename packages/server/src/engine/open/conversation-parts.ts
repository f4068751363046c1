import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layerOfOverrides } from '@parley/config'
import { EventLog, type Files, LOG_FORMAT, newHeader, type SessionPaths, sessionPaths } from '@parley/journal'
import { type ConversationId, initialState, type Overrides, type ParamsOf } from '@parley/protocol'
import { createModelView } from '../../core/model-view.ts'
import type { ConversationParts } from '../conversation/conversation.ts'
import { createJournal, createViewJournal } from '../conversation/journal.ts'
import { createSideFiles } from '../conversation/side-files.ts'
import { rejection } from '../replies/rejection.ts'
import type { InitialSettings } from '../settings/initial-settings.ts'
import type { LoadedConversation } from './load-conversation.ts'

/** Parts of a conversation that is being opened, new or loaded. */
export interface OpenParts extends Omit<ConversationParts, 'clock' | 'program' | 'redact' | 'onLoss'> {
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
}

/** Returns the parts of a new conversation; its log is made when the first event is recorded. */
export function newParts(files: Files, { conversationId, home, params, created }: NewConversation): OpenParts {
  const isEphemeral = params.ephemeral === true
  const root = isEphemeral ? mkdtempSync(join(tmpdir(), 'parley-ephemeral-')) : home
  const paths = sessionPaths(root, conversationId)
  if (paths === null) throw rejection('internal', 'A new conversation got an id that is none.')
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
    startJournal: () =>
      createJournal(EventLog.create(files, paths.log, { header: newHeader(conversationId), home: root })),
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
