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
import { type ConversationState, type Envelope, storedEventProblem, upgradeEvent } from '@parley/protocol'
import type { LogOffset } from '../core/view/view-blocks.ts'
import { rejection } from '../replies/rejection.ts'
import type { CheckpointWriter, Settled } from './checkpoint-writer.ts'

/** Lines of a log, as clients get them. */
interface JournalLines {
  /** Reads lines after a seq from disk, oldest first. Throws `StorageError` when they end before `upTo`. */
  linesAfter(range: { readonly after: number; readonly upTo: number }): AsyncIterable<readonly Line[]>
  /** Returns the checksum of a line: undefined when the log has no such line, null for a line without checksum. */
  crcOf(seq: number): string | null | undefined
}

/** Log of a conversation: on disk, or on disk and in a store that servers share. */
export interface Journal extends JournalLines {
  /** Returns the place of the first line. */
  append(lines: readonly string[]): LogOffset
  /** Opens the file behind the descriptor of a writable log; null for other logs. */
  held(): LogView | null
  sizeBytes(): number
  /** Throws `StorageError` while nothing could be appended. */
  probe(): void
  synced(): Promise<void>
  /** Resolves when all that was appended may be shown; null where that is at once. Rejects with a final `StorageError`. */
  shown(): Promise<void> | null
  /** Resolves when it is certain that this process still has the conversation. Rejects with a final `StorageError`. */
  mayAct(): Promise<void>
  /** Called with the state after each write. */
  describe(state: ConversationState): void
  /** Error of a disk that has not ended a sync for long; null while it answers. */
  stuck(): StorageError | null
  /** Throws `StorageError` when the log is no longer where and as it was written. */
  assertStored(): void
  /** Called after a turn; `content` returns the content of a checkpoint, null while work is open. */
  settled(content: () => Settled | null): void
  close(content: () => Settled | null): Promise<void>
}

const batchCharacters = 32 * 1024

/** Parts of a journal of an existing log, beside the log. */
interface ExistingLines {
  /** Reader of the lines so far. */
  readonly reader: LogReader
  /** Closed with the journal. */
  readonly lines: Disposable | null
}

/** Creates the journal of a log that may be written; `existing` is null for a new log. */
export function createJournal(log: EventLog, existing: ExistingLines | null, checkpoints: CheckpointWriter): Journal {
  const reader = existing?.reader ?? null
  let isOlder = reader !== null && reader.version < LOG_FORMAT
  return {
    append(lines) {
      if (isOlder) log.raiseMinReader()
      isOlder = false
      return log.append(lines) - log.bodyStart
    },
    sizeBytes: () => log.sizeBytes,
    probe: () => log.probe(),
    held: () => log.held(),
    synced: () => log.synced(),
    shown: () => null,
    mayAct: () => Promise.resolve(),
    describe: () => undefined,
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
export function createViewJournal(files: Files, path: string, { reader, lines }: ExistingLines): Journal {
  return {
    append: () => {
      throw rejection('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
    },
    sizeBytes: () => files.look(path)?.sizeBytes ?? 0,
    probe: () => undefined,
    held: () => null,
    synced: () => Promise.resolve(),
    shown: () => null,
    mayAct: () => Promise.resolve(),
    describe: () => undefined,
    stuck: () => null,
    settled: () => undefined,
    close: async () => lines?.[Symbol.dispose](),
    assertStored: () => undefined,
    ...readingOf(path, () => LogView.open(files, path), reader),
  }
}

function readingOf(path: string, open: () => LogView, reader: LogReader | null): JournalLines {
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
    last = line.seq
    if (delivered === null) continue
    batch.push(delivered)
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

/** Event of a log, with its number and its time. */
export type OwnEvent = Pick<Envelope, 'seq' | 'at' | 'event'>

/** Reads the lines of one log of any version as events of this version. */
export interface LogReader {
  /** Version of the newest events read; a program of this version may append without `conversation.upgraded`. */
  readonly version: number
  /** Notes that events of a version were read before. */
  hasRead(version: number): void
  /** Returns the event of a line; null for a line without one, or with one that breaks the schema. */
  read(text: string): LoggedEnvelope | null
  /** Returns the event of a line of a log that this program writes. Its type may be one that is not known. */
  readOwn(line: LogLine): OwnEvent | null
  /**
   * Returns a line with its event in this version and the checksum of the stored text. Null when the event was found to
   * break the schema: no fold has it.
   */
  lineFor(line: LogLine): Line | null
  /** Tells if the event of a line was found to break the schema. */
  isLeftOut(seq: number): boolean
  /** Notes such a line, which was found before. */
  leaveOut(seq: number): void
}

/**
 * Creates the reader of a log. Every line is read in the header's version, even after `conversation.upgraded`: an
 * earlier program may have forked the log and appended its own events. `upgradeEvent` leaves newer events unchanged.
 */
export function createLogReader(header: LogHeader | null): LogReader {
  const format = formatOf(header)
  let version = format
  const leftOut = new Set<number>()

  /** Notes an upgrade event, unless earlier programs may still append: a copied one says nothing about later lines. */
  function note({ type, to }: LoggedEnvelope['event']): void {
    if (type !== 'conversation.upgraded' || typeof to !== 'number') return
    if (header === null || header.minReader >= to) version = Math.max(version, to)
  }

  function current(stored: LoggedEnvelope): LoggedEnvelope {
    const event = upgradeEvent(stored.event, format)
    return event === stored.event ? stored : { ...stored, event }
  }

  function read(text: string): LoggedEnvelope | null {
    const stored = decodeLine(text)
    if (stored === null) return null
    note(stored.event)
    const own = current(stored)
    if (version > LOG_FORMAT || storedEventProblem(own.event) === null) return own
    leftOut.add(own.seq)
    return null
  }

  return {
    get version() {
      return version
    },
    hasRead(earlier) {
      version = Math.max(version, earlier)
    },
    read,
    readOwn(line) {
      const logged = read(textOf(line))
      return logged === null ? null : (logged as unknown as OwnEvent) // narrowed: our own log, upgraded
    },
    isLeftOut: (seq) => leftOut.has(seq),
    leaveOut: (seq) => void leftOut.add(seq),
    lineFor(logged) {
      if (leftOut.has(logged.seq)) return null
      const line = lineOf(logged)
      const stored = format >= LOG_FORMAT ? null : decodeLine(line.text)
      if (stored === null) return line
      const upgraded = current(stored)
      return upgraded === stored ? line : translatedLine(upgraded, line.crc)
    },
  }
}
