import {
  type Checkpoint,
  type Files,
  LogView,
  type LossReports,
  type OpenFile,
  readCheckpoint,
  removeQuietly,
  type SessionPaths,
  StorageError,
  textOf,
} from '@parley/journal'
import { type ConversationId, type ConversationState, type Envelope, initialState } from '@parley/protocol'
import { createModelView } from '../../core/model-view.ts'
import type { Place } from '../../core/view-blocks.ts'
import { parseContent, stateOf } from '../conversation/checkpoint-content.ts'
import { createLogReader, type LogReader } from '../conversation/journal.ts'
import { createLandmarks } from '../conversation/landmarks.ts'
import { createLogFold, type LogFold } from '../conversation/log-fold.ts'

/** Fold that is ready for lines: from the first one on, or behind a checkpoint. */
export interface FoldBegin {
  readonly fold: LogFold
  readonly reader: LogReader
  /** Open log that the fold reads older lines from; closed with the conversation. Null without a checkpoint. */
  readonly lines: Disposable | null
  readonly checkpoint: Checkpoint | null
}

interface Beginning {
  readonly files: Files
  readonly paths: SessionPaths
  readonly conversationId: ConversationId
  /** Version of program and fold. */
  readonly key: string
}

/** Ranges that an earlier `conversation.recovered` already named are not reported again. */
export const lossReports: LossReports = {
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

/** Begins the fold of a whole log. */
export function beginFold({ files, paths, conversationId }: Omit<Beginning, 'key'>): FoldBegin {
  using view = LogView.open(files, paths.log)
  const { state, reader } = startOf(view, conversationId)
  const fold = createLogFold({ state, bodyStart: view.bodyStart() }, reader)
  return { fold, reader, lines: null, checkpoint: null }
}

/** Begins the fold behind the checkpoint of a log. Returns null, and removes it, where it does not fit the log. */
export async function beginFromCheckpoint(log: OpenFile, beginning: Beginning): Promise<FoldBegin | null> {
  const { files, paths, key } = beginning
  try {
    const checkpoint = await readCheckpoint(files, paths.checkpoint, { log, key })
    return checkpoint === null ? null : restored(checkpoint, beginning)
  } catch (error) {
    // The log is what counts, and opening it reports trouble of the disk itself.
    if (error instanceof StorageError) return null
    throw error
  }
}

function restored(checkpoint: Checkpoint, { files, paths, conversationId }: Beginning): FoldBegin | null {
  const content = parseContent(checkpoint.content)
  const lines = LogView.open(files, paths.log)
  const { state, reader } = startOf(lines, conversationId)
  const bodyStart = lines.bodyStart()
  const readEnvelope = (place: Place) => envelopeAt(lines, { byteOffset: bodyStart + place, conversationId, reader })
  const folded = content === null ? null : stateOf(content, state, readEnvelope)
  if (content === null || folded === null || folded.core.seq !== checkpoint.mark.seq) {
    lines[Symbol.dispose]()
    removeQuietly(files, paths.checkpoint)
    return null
  }
  reader.hasRead(content.logVersion)
  const view = createModelView({
    snapshot: content.view,
    readEvent(place) {
      const envelope = readEnvelope(place)
      if (envelope === null) throw new Error(`the log of ${conversationId} no longer holds the event at ${place}`)
      return envelope.event
    },
  })
  const fold = createLogFold({ state: folded, bodyStart, view, landmarks: createLandmarks(content) }, reader)
  return { fold, reader, lines, checkpoint }
}

function startOf(log: LogView, conversationId: ConversationId): { state: ConversationState; reader: LogReader } {
  const header = log.header()
  const forkedFrom = header?.forkedFrom
  const point = forkedFrom === undefined ? null : { id: forkedFrom.id, seq: forkedFrom.seq }
  return { state: initialState(conversationId, point), reader: createLogReader(header) }
}

interface LineSpot {
  readonly byteOffset: number
  readonly conversationId: ConversationId
  readonly reader: LogReader
}

function envelopeAt(log: LogView, { byteOffset, conversationId, reader }: LineSpot): Envelope | null {
  const line = log.lineAt(byteOffset)
  const logged = line === null ? null : reader.read(textOf(line))
  return logged === null ? null : ({ conversationId, ...logged } as Envelope) // narrowed: our own log, upgraded; its reader tests the type
}
