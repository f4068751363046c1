import { timeSlices } from '@parley/host'
import {
  BundleError,
  type BundleManifest,
  encodeLine,
  type Files,
  importSession,
  type LogView,
  openBundle,
  type SessionPaths,
} from '@parley/journal'
import {
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  eventVersion,
  initialState,
} from '@parley/protocol'
import { createLogReader } from '../conversation/journal.ts'
import { createLogFold } from '../conversation/log-fold.ts'
import { rejection } from '../replies/rejection.ts'

interface Import {
  /** Absolute path of the bundle. */
  readonly file: string
  readonly conversationId: ConversationId
  readonly paths: SessionPaths
  readonly home: string
  /** Resolves to the events that bring the conversation to this machine. */
  readonly settle: (state: ConversationState) => Promise<readonly ConversationEvent[]>
  /** ms since the epoch. */
  readonly now: () => number
}

/**
 * Makes the log and the side files of a conversation from a bundle. The log ends with the events that settle it here, so
 * nothing of it was ever open on this machine. Rejects with `badBundle`.
 */
export async function importBundle(
  files: Files,
  { file, conversationId, paths, home, settle, now }: Import,
): Promise<void> {
  if (files.look(file)?.kind !== 'file') throw rejection('badBundle', `There is no file ${file}.`)
  try {
    await openBundle(files, file, (bundle) =>
      importSession(files, bundle, {
        paths,
        home,
        conversationId,
        settle: async (log) => {
          const { state, version } = await verifiedState(log, bundle.manifest)
          const upgraded = { type: 'conversation.upgraded', from: version, to: eventVersion } as const
          const events = [...(version < eventVersion ? [upgraded] : []), ...(await settle(state))]
          return events.map((event, index) => encodeLine({ seq: state.core.seq + 1 + index, at: now(), event }).text)
        },
      }),
    )
  } catch (error) {
    throw error instanceof BundleError ? rejection('badBundle', `${file} was not opened. ${error.message}`) : error
  }
}

/** Folds the log in slices of time. Rejects with `BundleError` unless it leads to the state that the bundle names. */
async function verifiedState(
  log: LogView,
  { seq, digest, conversationId }: BundleManifest,
): Promise<{ readonly state: ConversationState; readonly version: number }> {
  const reader = createLogReader(log.header())
  const fold = createLogFold({ state: initialState(conversationId) }, reader)
  const slices = timeSlices()
  for (const line of log.lines()) {
    fold.take(line)
    if (slices.isOver()) await slices.next()
  }
  const { state } = fold
  if (state.core.seq === seq && state.core.digest === digest) return { state, version: reader.version }
  throw new BundleError(
    `Its log leads to another state (event ${state.core.seq}, ${state.core.digest}) than it says (event ${seq}, ${digest}).`,
  )
}
