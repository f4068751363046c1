import {
  decodeLine,
  type EventLog,
  type Files,
  formatOf,
  type Line,
  LOG_CHANGED,
  LOG_FORMAT,
  type LoggedEnvelope,
  type LogHeader,
  type LogLine,
  LogView,
  lineCrc,
  lineOf,
  StorageError,
  textOf,
  translatedLine,
} from '@parley/journal'
import { type ConversationState, type Envelope, reduce, upgradeEvent } from '@parley/protocol'
import { createModelView, type ModelView } from '../../core/model-view.ts'
import { rejection } from '../../replies/rejection.ts'
import type { Journal } from './conversation.ts'

const batchCharacters = 32 * 1024

/**
 * Creates the journal of a log that may be written. `reader` is the reader of the existing lines; null for a new log.
 */
export function createJournal(log: EventLog, reader: LogReader | null = null): Journal {
  let isOlder = reader !== null && reader.version < LOG_FORMAT
  return {
    append(lines) {
      if (isOlder) log.raiseMinReader()
      isOlder = false
      log.append(lines)
    },
    probe: () => log.probe(),
    held: () => log.held(),
    synced: () => log.synced(),
    close: () => log[Symbol.asyncDispose](),
    assertStored: () => log.assertStored(),
    ...readingOf(log.path, () => log.view(), reader),
  }
}

/** Creates the journal of a log that may only be read. */
export function createViewJournal(files: Files, path: string, reader: LogReader): Journal {
  return {
    append: () => {
      throw rejection('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
    },
    probe: () => undefined,
    held: () => null,
    synced: () => Promise.resolve(),
    close: () => Promise.resolve(),
    assertStored: () => undefined,
    ...readingOf(path, () => LogView.open(files, path), reader),
  }
}

function readingOf(path: string, open: () => LogView, reader: LogReader | null): Pick<Journal, 'linesAfter' | 'crcOf'> {
  const lineFor = reader?.lineFor ?? lineOf
  return {
    linesAfter: (range) => readBatches(path, { open, lineFor }, range),
    crcOf(seq) {
      using view = open()
      for (const line of view.lines({ after: seq - 1 }))
        return line.seq === seq ? (line.unchecked ? null : lineCrc(line)) : undefined
      return undefined
    },
  }
}

async function* readBatches(
  path: string,
  { open, lineFor }: { readonly open: () => LogView; readonly lineFor: LogReader['lineFor'] },
  { after, upTo }: { readonly after: number; readonly upTo: number },
): AsyncGenerator<readonly Line[]> {
  using view = open()
  let batch: Line[] = []
  let size = 0
  let last = after
  for (const line of view.lines({ after })) {
    const delivered = lineFor(line)
    batch.push(delivered)
    last = line.seq
    size += delivered.text.length
    if (size < batchCharacters) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
  // A reader would otherwise ask for the missing lines forever.
  if (last < upTo) throw new StorageError({ code: LOG_CHANGED, operation: 'read', path })
}

/** Reads the lines of one log of any version as events of this version. */
export interface LogReader {
  /** Version of the newest events read; a program of this version may append without `conversation.upgraded`. */
  readonly version: number
  /** Returns the event of a line; null for a line without one. */
  read(text: string): LoggedEnvelope | null
  /** Returns the line with the event of this version; the checksum stays that of the stored text. */
  lineFor(line: LogLine): Line
}

/**
 * Creates the reader of a log. Every line is read in the header's version, even after `conversation.upgraded`: an
 * earlier program may have forked the log and appended its own events. `upgradeEvent` leaves newer events unchanged.
 */
export function createLogReader(header: LogHeader | null): LogReader {
  const format = formatOf(header)
  let version = format

  /** Notes an upgrade event, unless earlier programs may still append: a copied one says nothing about later lines. */
  function note({ type, to }: LoggedEnvelope['event']): void {
    if (type !== 'conversation.upgraded' || typeof to !== 'number') return
    if (header === null || header.minReader >= to) version = Math.max(version, to)
  }

  function current(stored: LoggedEnvelope): LoggedEnvelope {
    const event = upgradeEvent(stored.event, format)
    return event === stored.event ? stored : { ...stored, event }
  }

  return {
    get version() {
      return version
    },
    read(text) {
      const stored = decodeLine(text)
      if (stored === null) return null
      note(stored.event)
      return current(stored)
    },
    lineFor(logged) {
      const line = lineOf(logged)
      const stored = format >= LOG_FORMAT ? null : decodeLine(line.text)
      if (stored === null) return line
      const upgraded = current(stored)
      return upgraded === stored ? line : translatedLine(upgraded, line.crc)
    },
  }
}

/** State and view of a log, folded line by line. */
export interface LogFold {
  /** Folds a line and returns its event; null for a delta and for a line without an event. */
  take(line: LogLine): Envelope | null
  readonly state: ConversationState
  readonly view: ModelView
}

/**
 * Creates the fold of a log. Deltas are most of a log and matter only for open items, so they are kept unread until the
 * state is asked for. Reading them late gives the same state: a delta changes only its own item.
 */
export function createLogFold(start: ConversationState, reader: LogReader): LogFold {
  const view = createModelView()
  const { conversationId } = start.core.meta
  let state = start
  let deltas: LogLine[] = []

  function foldLate(): void {
    const late = deltas
    deltas = []
    for (const line of late) fold(line)
  }

  function fold(line: LogLine): Envelope | null {
    const logged = reader.read(textOf(line))
    if (logged === null) return null
    // The event restarts its item's output, so earlier deltas must be folded before it.
    if (logged.event.type === 'execution.failed') foldLate()
    const envelope = { conversationId, ...logged } as Envelope // narrowed: our own log, upgraded; the reducer passes over events it does not know
    state = reduceLate(state, envelope)
    view.apply(envelope.event, envelope.seq)
    return envelope
  }

  return {
    take(line) {
      if (line.type === 'item.delta') {
        deltas.push(line)
        return null
      }
      const envelope = fold(line)
      if (deltas.length > 0 && Object.keys(state.core.open).length === 0) deltas = []
      return envelope
    },
    get state() {
      foldLate()
      return state
    },
    view,
  }
}

/** Folds an event whose number is below the state's, which `reduce` alone would skip. */
function reduceLate(state: ConversationState, envelope: Envelope): ConversationState {
  const { seq } = state.core
  if (envelope.seq > seq) return reduce(state, envelope)
  const { core, window } = reduce({ ...state, core: { ...state.core, seq: envelope.seq - 1 } }, envelope)
  return { core: { ...core, seq }, window }
}
