import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Files, type OpenFile, readFile, readSpan, sideFileRefsIn } from '@parley/journal'
import { messageBytes } from '../connection/layout.ts'
import type { ClaimName, NewMessage } from './log-subject.ts'
import { headerOf } from './named-contents.ts'

/** Message that is to be published, with the content to put before. */
export interface Outgoing {
  readonly message: NewMessage
  /** Lines that it holds. */
  readonly lines: Buffer
  /** Objects by name. */
  readonly objects: ReadonlyMap<string, Uint8Array>
}

interface Span {
  /** First byte that is not acknowledged. */
  readonly from: number
  /** Size of the log. */
  readonly sizeBytes: number
  readonly claim: ClaimName
  /** Folder of the side files. */
  readonly sideFiles: string
}

const LF = 0x0a

/** Reads the lines of a log that go into the next message: as many as fit, or one that is longer. */
export function nextMessage(files: Files, log: OpenFile, { from, sizeBytes, claim, sideFiles }: Span): Outgoing {
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
