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
  translatedLine,
} from '@parley/journal'
import { upgradeEvent } from '@parley/protocol'
import { rejection } from '../../replies/rejection.ts'
import type { CheckpointWriter } from './checkpoint-writer.ts'
import type { Journal } from './conversation.ts'

const batchCharacters = 32 * 1024

/** Parts of a journal of an existing log, beside the log. */
interface Existing {
  /** Reader of the lines so far. */
  readonly reader: LogReader
  /** Closed with the journal. */
  readonly lines: Disposable | null
}

/** Creates the journal of a log that may be written; `existing` is null for a new log. */
export function createJournal(log: EventLog, existing: Existing | null, checkpoints: CheckpointWriter): Journal {
  const reader = existing?.reader ?? null
  let isOlder = reader !== null && reader.version < LOG_FORMAT
  return {
    append(lines) {
      if (isOlder) log.raiseMinReader()
      isOlder = false
      return log.append(lines) - log.bodyStart
    },
    probe: () => log.probe(),
    held: () => log.held(),
    synced: () => log.synced(),
    stuck: () => log.stuck,
    settled: (content) => checkpoints.afterTurn(log, content),
    async close(content) {
      await checkpoints.atClose(log, content)
      existing?.lines?.[Symbol.dispose]()
      await log[Symbol.asyncDispose]()
    },
    assertStored: () => log.assertStored(),
    ...readingOf(log.path, () => log.view(), reader),
  }
}

/** Creates the journal of a log that may only be read. */
export function createViewJournal(files: Files, path: string, { reader, lines }: Existing): Journal {
  return {
    append: () => {
      throw rejection('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
    },
    probe: () => undefined,
    held: () => null,
    synced: () => Promise.resolve(),
    stuck: () => null,
    settled: () => undefined,
    close: async () => lines?.[Symbol.dispose](),
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
  /** Notes that events of a version were read before. */
  hasRead(version: number): void
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
    hasRead(earlier) {
      version = Math.max(version, earlier)
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
