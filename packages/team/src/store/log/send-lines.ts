import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { LocalCopy } from '@parley/engine/shared-store'
import {
  type Files,
  type OpenFile,
  readFile,
  readSpan,
  STORE_LOST,
  STORE_TAKEN,
  StorageError,
  sideFileRefsIn,
} from '@parley/journal'
import { messageBytes } from '../connection/layout.ts'
import type { AckMark } from './ack-mark.ts'
import { type ClaimName, type LogSubject, type NewMessage, OutrunError } from './log-subject.ts'
import { contentName, headerOf, namedContents } from './named-contents.ts'
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

/** Message that is to be published, with the content to put before. */
interface Outgoing {
  readonly message: NewMessage
  readonly lines: Buffer
  readonly objects: ReadonlyMap<string, Uint8Array>
}

interface Span {
  /** First byte that is not acknowledged. */
  readonly from: number
  readonly sizeBytes: number
  readonly claim: ClaimName
  readonly sideFiles: string
}

const LF = 0x0a

/** Reads the lines of a log that go into the next message: as many as fit, or one that is longer. */
function nextMessage(files: Files, log: OpenFile, { from, sizeBytes, claim, sideFiles }: Span): Outgoing {
  const bytes = wholeLines(files, log, { from, sizeBytes })
  const to = from + bytes.length
  const objects = sideFilesIn(files, sideFiles, bytes)
  const named = headerOf([...objects.keys()], objects)
  if (bytes.length <= messageBytes)
    return { message: { from, to, claim, files: named, object: null, bytes }, lines: bytes, objects }
  const object = `line-${createHash('sha256').update(bytes).digest('hex')}`
  return {
    message: { from, to, claim, files: named, object, bytes: new Uint8Array() },
    lines: bytes,
    objects: objects.set(object, bytes),
  }
}

/** Reads whole lines of up to `messageBytes` together; the first of them where it alone is longer. */
function wholeLines(files: Files, log: OpenFile, { from, sizeBytes }: Pick<Span, 'from' | 'sizeBytes'>): Buffer {
  for (let wanted = messageBytes; ; wanted *= 4) {
    const bytes = readSpan(files, log, { offset: from, length: Math.min(wanted, sizeBytes - from) })
    const end = wanted === messageBytes ? bytes.lastIndexOf(LF) : bytes.indexOf(LF)
    if (end !== -1) return bytes.subarray(0, end + 1)
    if (from + bytes.length >= sizeBytes) return bytes
  }
}

/** Returns the side files that lines name, by their names. Hashes of other things look the same and have no file. */
function sideFilesIn(files: Files, folder: string, bytes: Buffer): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  for (const ref of sideFileRefsIn(bytes.toString('latin1'))) {
    const name = ref.replace(':', '-')
    const content = readFile(files, join(folder, name))
    if (content !== null) found.set(name, content)
  }
  return found
}
