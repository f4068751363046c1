import { timeSlices } from '@parley/host'
import {
  type Checkpoint,
  type Files,
  type LogHeader,
  LogView,
  type LossReports,
  type OpenFile,
  readCheckpoint,
  removeQuietly,
  type SessionPaths,
  StorageError,
} from '@parley/journal'
import {
  type ConversationEvent,
  type ConversationId,
  type ConversationState,
  type Envelope,
  initialState,
} from '@parley/protocol'
import { parseContent, parseViewPart, stateOf, trackCheckpointPlaces } from '../conversation/checkpoint-content.ts'
import { createLogReader, type LogReader } from '../conversation/journal.ts'
import { createLogFold, type LogFold } from '../conversation/log-fold.ts'
import { createModelView } from '../core/model-view.ts'
import type { LogOffset } from '../core/view/view-blocks.ts'
import { emptyFold } from '../core/view/view-fold.ts'
import { addPart } from '../core/view/view-snapshot.ts'

/** Fold that is ready for lines: from the first one on, or behind a checkpoint. */
export interface FoldBegin {
  readonly fold: LogFold
  readonly reader: LogReader
  /** Open log that the fold reads older lines from; closed with the conversation. */
  readonly lines: Disposable
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
  ranges: ({ lost }) => (Array.isArray(lost) ? lost.filter((range: unknown) => isRange(range)) : []),
}

function isRange(value: unknown): value is { fromSeq: number; toSeq: number } {
  return typeof value === 'object' && value !== null && 'fromSeq' in value && 'toSeq' in value
}

/** Begins the fold of a whole log. */
export function beginFold({ files, paths, conversationId }: Omit<Beginning, 'key'>): FoldBegin {
  const named = openNamedLines(files, paths.log, conversationId)
  const { start, reader, bodyStart, lines } = named
  const view = createModelView(emptyFold(named.readEvent))
  return { fold: createLogFold({ state: start, bodyStart, view }, reader), reader, lines, checkpoint: null }
}

/** Begins the fold behind the checkpoint of a log. Returns null, and removes it, where it does not fit the log. */
export async function beginFromCheckpoint(log: OpenFile, beginning: Beginning): Promise<FoldBegin | null> {
  const { files, paths, key } = beginning
  try {
    const checkpoint = await readCheckpoint(files, paths.checkpoint, { log, key })
    return checkpoint === null ? null : await restored(checkpoint, beginning)
  } catch (error) {
    // The log is what counts, and opening it reports trouble of the disk itself.
    if (error instanceof StorageError) return null
    throw error
  }
}

async function restored(
  checkpoint: Checkpoint,
  { files, paths, conversationId }: Beginning,
): Promise<FoldBegin | null> {
  const named = openNamedLines(files, paths.log, conversationId)
  const { reader, bodyStart, lines } = named
  const found = await contentIn(checkpoint, named).catch((error: unknown) => {
    lines[Symbol.dispose]()
    throw error
  })
  if (found === null) {
    lines[Symbol.dispose]()
    removeQuietly(files, paths.checkpoint)
    return null
  }
  const { content, state, view } = found
  reader.hasRead(content.logVersion)
  for (const { fromSeq, reason } of checkpoint.mark.damage) if (reason === 'event') reader.leaveOut(fromSeq)
  const fold = createLogFold({ state, bodyStart, view, checkpointPlaces: trackCheckpointPlaces(content) }, reader)
  return { fold, reader, lines, checkpoint }
}

/** Reads the parts of a checkpoint and the lines that it names, beside other work. Null where they do not fit the log. */
async function contentIn({ parts: [first, ...viewParts], mark }: Checkpoint, named: NamedLines) {
  const content = first === undefined ? null : parseContent(first)
  if (content === null) return null
  const slices = timeSlices()
  const readAll = async (places: readonly LogOffset[]) => {
    const read: (Envelope | null)[] = []
    for (const place of places) {
      read.push(named.readEnvelope(place))
      if (slices.isOver()) await slices.next()
    }
    return read
  }
  const lines = { rights: await readAll(content.rights), window: await readAll(content.window) }
  const state = stateOf(content.core, named.start, lines)
  if (state === null || state.core.seq !== mark.seq) return null
  const fold = emptyFold(named.readEvent)
  for (const bytes of viewParts) {
    const part = parseViewPart(bytes)
    if (part === null) return null
    addPart(fold, part)
    if (slices.isOver()) await slices.next()
  }
  return { content, state, view: createModelView(fold) }
}

/** Log with lines that are read by their offsets. */
interface NamedLines {
  readonly lines: LogView
  readonly reader: LogReader
  /** Byte offset of place 0. */
  readonly bodyStart: number
  /** State before the first line. */
  readonly start: ConversationState
  /** Reads a line as an event of this version; null where there is no good line. */
  readEnvelope(place: LogOffset): Envelope | null
  /** Throws where there is no good line. */
  readEvent(place: LogOffset): ConversationEvent
}

function openNamedLines(files: Files, path: string, conversationId: ConversationId): NamedLines {
  const lines = LogView.open(files, path)
  const header = lines.header()
  const reader = createLogReader(header)
  const bodyStart = lines.bodyStart()
  const forkedFrom = header?.forkedFrom
  const point = forkedFrom === undefined ? null : { id: forkedFrom.id, seq: forkedFrom.seq }
  const readEnvelope = (place: LogOffset) => {
    const line = lines.lineAt(bodyStart + place)
    const logged = line === null ? null : reader.readOwn(line)
    return logged === null ? null : { conversationId, ...logged }
  }
  return {
    ...{ lines, reader, bodyStart, readEnvelope },
    start: initialState(conversationId, point),
    readEvent(place) {
      const envelope = readEnvelope(place)
      if (envelope === null) throw new Error(`the log of ${conversationId} no longer holds the event at ${place}`)
      return envelope.event
    },
  }
}

/** Reads lines of a log that is made later; it is opened with the first of them. */
export function linesWhenNeeded(
  files: Files,
  path: string,
  conversationId: ConversationId,
): Disposable & Pick<NamedLines, 'readEvent'> {
  let named: NamedLines | null = null
  return {
    readEvent(place) {
      named ??= openNamedLines(files, path, conversationId)
      return named.readEvent(place)
    },
    [Symbol.dispose]: () => named?.lines[Symbol.dispose](),
  }
}

/** Reads the header of a log; null for a damaged one. */
export function headerOf(files: Files, path: string): LogHeader | null {
  using view = LogView.open(files, path)
  return view.header()
}
