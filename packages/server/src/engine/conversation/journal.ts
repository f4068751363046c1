import {
  type EventLog,
  type Files,
  type Line,
  LOG_CHANGED,
  LOG_FORMAT,
  LogView,
  lineCrc,
  lineOf,
  StorageError,
} from '@parley/journal'
import { rejection } from '../replies/rejection.ts'
import type { Journal } from './conversation.ts'
import type { LogReader } from './log-reader.ts'

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
