import { type Files, type OpenFile, STORE_LOST, STORE_TAKEN, StorageError } from '@parley/journal'
import { actualSequence } from '../connection/store-trouble.ts'
import type { LocalCopy } from '../port/shared-store.ts'
import type { AckMark } from './ack-mark.ts'
import type { LogSubject } from './log-subject.ts'
import { nextMessage, type Outgoing } from './next-message.ts'
import type { Objects } from './objects.ts'

export interface SendPorts {
  readonly files: Files
  readonly subject: LogSubject
  readonly objects: Objects
  /** Random name of the claim. */
  readonly claimName: string
  /** Servers of the store, as people write them. */
  readonly name: string
  /** Called with the time that a message took to be acknowledged, in seconds. */
  readonly onPublished?: ((seconds: number) => void) | undefined
}

/** Sends the lines of a log in messages. */
export interface LineSender extends Disposable {
  /** Reads what follows a mark, up to a size of the log. */
  next(mark: AckMark, sizeBytes: number): Outgoing
  /** Sends a message and what it needs. Resolves to the mark behind it; may be called again after a failure. */
  send(outgoing: Outgoing, mark: AckMark): Promise<AckMark>
}

export function sendLines(
  copy: LocalCopy,
  { files, subject, objects, claimName: claim, name, onPublished }: SendPorts,
): LineSender {
  let log: OpenFile | null = null

  /** Finds out if a refused message is the one that was stored before, with an answer that was lost. */
  async function sequenceAfterRefusal(error: unknown, { from, to }: Outgoing['message'], mark: AckMark) {
    const actual = actualSequence(error)
    if (actual === null) throw error
    const last = await subject.last()
    if (last?.claim === claim && last.from === from && last.to === to) return last.sequence
    const code = actual < mark.sequence ? STORE_LOST : STORE_TAKEN
    throw new StorageError({ code, operation: 'write to', path: name, retryable: false, cause: error })
  }

  return {
    next(mark, sizeBytes) {
      log ??= files.open(copy.log, 'read')
      return nextMessage(files, log, { from: mark.bytes, sizeBytes, claim, sideFiles: copy.sideFiles })
    },
    async send({ message, objects: content }, mark) {
      for (const [object, bytes] of content) await objects.put(object, bytes)
      const sentMs = performance.now()
      const sequence = await subject
        .publish(message, mark.sequence)
        .catch((error: unknown) => sequenceAfterRefusal(error, message, mark))
      onPublished?.((performance.now() - sentMs) / 1000)
      return { ...mark, bytes: message.to, sequence }
    },
    [Symbol.dispose]() {
      if (log !== null) files.close(log)
    },
  }
}
