import { type EventLog, type Files, LOG_CHANGED, LogView, lineCrc, StorageError, textOf } from '@parley/journal'
import type { Journal } from './conversation.ts'
import { rejection } from './refusal.ts'

const batchCharacters = 32 * 1024

/** The log as a conversation writes and re-reads it. */
export function createJournal(log: EventLog): Journal {
  return {
    append: (lines) => void log.append(lines),
    synced: () => log.synced(),
    close: () => log[Symbol.asyncDispose](),
    assertStored: () => log.assertStored(),
    ...readingOf(log.path, () => log.view()),
  }
}

/** The log of a conversation that may only be read. */
export function createViewJournal(files: Files, path: string): Journal {
  return {
    append: () => {
      throw rejection('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
    },
    synced: () => Promise.resolve(),
    close: () => Promise.resolve(),
    assertStored: () => undefined,
    ...readingOf(path, () => LogView.open(files, path)),
  }
}

function readingOf(path: string, open: () => LogView): Pick<Journal, 'linesAfter' | 'crcOf'> {
  return {
    linesAfter: (range) => readBatches(path, open, range),
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
  open: () => LogView,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): AsyncGenerator<readonly string[]> {
  using view = open()
  let batch: string[] = []
  let size = 0
  let last = after
  for (const line of view.lines({ after })) {
    const text = textOf(line)
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
