import {
  type EventLog,
  type Files,
  LOG_CHANGED,
  LOG_FORMAT,
  LogView,
  lineCrc,
  StorageError,
  textOf,
} from '@parley/journal'
import { rejection } from '../replies/rejection.ts'
import type { Journal } from './conversation.ts'
import type { LogReader } from './log-reader.ts'

const batchCharacters = 32 * 1024

/** The log as a conversation writes and re-reads it. `reader` has read what was there before; null: nothing was. */
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

/** The log of a conversation that may only be read. */
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
  const textFor = reader?.textFor ?? textOf
  return {
    linesAfter: (range) => readBatches(path, { open, textFor }, range),
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
  { open, textFor }: { readonly open: () => LogView; readonly textFor: LogReader['textFor'] },
  { after, upTo }: { readonly after: number; readonly upTo: number },
): AsyncGenerator<readonly string[]> {
  using view = open()
  let batch: string[] = []
  let size = 0
  let last = after
  for (const line of view.lines({ after })) {
    const text = textFor(line)
    batch.push(text)
    last = line.seq
    size += text.length
    if (size < batchCharacters) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
  // Whoever waits for the rest would ask for ever.
  if (last < upTo) throw new StorageError({ code: LOG_CHANGED, operation: 'read', path })
}
