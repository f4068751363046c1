import type { EventLog } from '../log/event-log.ts'
import type { Files } from '../log/files.ts'
import { LogView } from '../log/log-view.ts'
import { lineCrc, textOf } from '../log/read-log.ts'
import type { Journal } from './conversation.ts'
import { refusal } from './refusal.ts'

const batchCharacters = 32 * 1024

/** The log as a conversation writes and re-reads it. */
export function createJournal(files: Files, log: EventLog): Journal {
  return {
    append: (lines) => void log.append(lines),
    synced: () => log.synced(),
    close: () => log[Symbol.asyncDispose](),
    ...readingOf(files, log.path),
  }
}

/** The log of a conversation that may only be read. */
export function createViewJournal(files: Files, path: string): Journal {
  return {
    append: () => {
      throw refusal('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
    },
    synced: () => Promise.resolve(),
    close: () => Promise.resolve(),
    ...readingOf(files, path),
  }
}

function readingOf(files: Files, path: string): Pick<Journal, 'linesAfter' | 'crcOf'> {
  return {
    linesAfter: (seq) => readBatches(files, path, seq),
    crcOf(seq) {
      using view = LogView.open(files, path)
      for (const line of view.lines({ after: seq - 1 }))
        return line.seq === seq ? (line.unchecked ? null : lineCrc(line)) : undefined
      return undefined
    },
  }
}

async function* readBatches(files: Files, path: string, after: number): AsyncGenerator<readonly string[]> {
  using view = LogView.open(files, path)
  let batch: string[] = []
  let size = 0
  for (const line of view.lines({ after })) {
    const text = textOf(line)
    batch.push(text)
    size += text.length
    if (size < batchCharacters) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}
