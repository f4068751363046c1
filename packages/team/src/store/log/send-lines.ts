import type { LocalCopy } from '@parley/engine/shared-store'
import { type Files, type OpenFile, STORE_LOST, STORE_TAKEN, StorageError } from '@parley/journal'
import type { AckMark } from './ack-mark.ts'
import { type ClaimName, type LogSubject, OutrunError } from './log-subject.ts'
import { contentName, namedContents } from './named-contents.ts'
import { nextMessage, type Outgoing } from './next-message.ts'
import type { Objects } from './objects.ts'

export interface SendPorts {
  readonly files: Files
  readonly subject: LogSubject
  readonly objects: Objects
  readonly claimName: ClaimName
  /** Servers of the store, as people write them. */
  readonly name: string
  /** Called with the time that a message took to be acknowledged, in seconds. */
  readonly onPublished?: ((seconds: number) => void) | undefined
}

/** Contents of files that are put at once. */
const lanes = 8

/** Sends the lines of a log in messages. */
export interface LineSender extends Disposable {
  /** Reads what follows a mark, up to a size of the log. */
  next(mark: AckMark, sizeBytes: number): Outgoing
  /**
   * Sends a message and the objects that it names. Resolves to the mark behind it; may be called again after a failure.
   */
  send(outgoing: Outgoing, mark: AckMark): Promise<AckMark>
}

export function sendLines(
  copy: LocalCopy,
  { files, subject, objects, claimName: claim, name, onPublished }: SendPorts,
): LineSender {
  let log: OpenFile | null = null

  function ended(error: unknown, mark: AckMark): unknown {
    if (!(error instanceof OutrunError)) return error
    const code = (error.last?.sequence ?? 0) < mark.sequence ? STORE_LOST : STORE_TAKEN
    return new StorageError({ code, operation: 'write to', path: name, retryable: false, cause: error })
  }

  /** Puts what files had before they were changed, one after another in each lane: each is in memory only while it is put. */
  async function putContents({ lines, objects: content }: Outgoing): Promise<void> {
    const { contents } = copy
    const left = (await namedContents(contents, lines, async (name) => content.get(name) ?? null)).values()
    const lane = async () => {
      for (const hash of left) await objects.put(contentName(hash), () => contents.read(hash))
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }

  return {
    next(mark, sizeBytes) {
      log ??= files.open(copy.log, 'read')
      return nextMessage(files, log, { from: mark.bytes, sizeBytes, claim, sideFiles: copy.sideFiles })
    },
    async send(outgoing, mark) {
      const { message } = outgoing
      for (const [object, bytes] of outgoing.objects) await objects.put(object, () => bytes)
      await putContents(outgoing)
      const sentMs = performance.now()
      const sequence = await subject.publish(message, mark.sequence).catch((error: unknown) => {
        throw ended(error, mark)
      })
      onPublished?.((performance.now() - sentMs) / 1000)
      return { ...mark, bytes: message.to, sequence, claim }
    },
    [Symbol.dispose]() {
      if (log !== null) files.close(log)
    },
  }
}
