import { dirname, join } from 'node:path'
import {
  createFile,
  createUnnamed,
  type Files,
  keepTornPiece,
  makeFolders,
  type OpenFile,
  STORE_LOST,
  StorageError,
  writeAll,
} from '@parley/journal'
import type { LocalCopy } from '../port/shared-store.ts'
import { type AckMark, emptyMark, readMark, writeMark } from './ack-mark.ts'
import type { LogMessage, LogSubject } from './log-subject.ts'
import type { Objects } from './objects.ts'

export interface FetchPorts {
  readonly files: Files
  readonly subject: LogSubject
  readonly objects: Objects
  /** Id of the store. */
  readonly store: string
  /** Servers of the store, as people write them. */
  readonly name: string
}

/**
 * Brings the copy of a log up to the newest message: what was never acknowledged is cut off, what is missing is added.
 * Resolves to the mark at its end; to null where neither has the conversation. Rejects with `STORE_LOST` where the
 * store has less than it had acknowledged.
 */
export async function fetchLog(copy: LocalCopy, ports: FetchPorts): Promise<AckMark | null> {
  const { files, subject, store } = ports
  const known = knownMark(copy, ports)
  const newest = await subject.last()
  if (newest === null && known === null) return null
  if (newest === null || !(await hasMarked(known, newest, subject))) throw lost(copy, ports)
  makeFolders(files, dirname(copy.log))
  let mark = known ?? emptyMark(store)
  const log = files.look(copy.log) === null ? createFile(files, copy.log) : files.open(copy.log, 'edit')
  try {
    cutBack(files, log, mark.bytes)
    for await (const message of subject.read({ after: mark.sequence, last: newest.sequence })) {
      if (message.from !== mark.bytes) throw lost(copy, ports)
      writeAll(files, log, await bytesOf(message, copy, ports))
      await fetchFiles(message.files, copy, ports)
      mark = { store, bytes: message.to, sequence: message.sequence, claim: message.claim }
    }
    assertSize(files, log, { mark, copy, ports })
  } finally {
    files.close(log)
    // What came before a failure is not fetched again.
    if (mark.sequence > 0) writeMark(files, copy.acked, mark)
  }
  return mark
}

/** Tells if a store still has the message at a mark. One that was set back may have another in its place. */
async function hasMarked(mark: AckMark | null, newest: LogMessage, subject: LogSubject): Promise<boolean> {
  if (mark === null) return true
  const found = newest.sequence === mark.sequence ? newest : await subject.at(mark.sequence)
  return found !== null && found.claim === mark.claim && found.to === mark.bytes
}

/** Cuts a log to what is acknowledged. The rest was shown to no client of the store, and is kept aside all the same. */
function cutBack(files: Files, log: OpenFile, bytes: number): void {
  const { sizeBytes } = files.stat(log)
  if (sizeBytes <= bytes) return
  keepTornPiece(files, log, { byteOffset: bytes, endOffset: sizeBytes })
  files.truncate(log, bytes)
}

/** Returns the mark of the copy; null where the log is to be fetched from its beginning. */
function knownMark({ log, acked }: LocalCopy, { files, store }: FetchPorts): AckMark | null {
  const mark = readMark(files, acked)
  const sizeBytes = files.look(log)?.sizeBytes ?? 0
  return mark === null || mark.store !== store || sizeBytes < mark.bytes ? null : mark
}

async function bytesOf({ object, bytes }: LogMessage, copy: LocalCopy, ports: FetchPorts): Promise<Buffer> {
  if (object === null) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = await ports.objects.get(object)
  if (content === null) throw lost(copy, ports)
  return Buffer.from(content)
}

/** Fetches side files that are not here. One that the store has lost is missing, as one that a disk has lost. */
async function fetchFiles(names: readonly string[], { sideFiles }: LocalCopy, { files, objects }: FetchPorts) {
  for (const name of names) {
    const path = join(sideFiles, name)
    if (files.look(path) !== null) continue
    const content = await objects.get(name)
    if (content === null) continue
    makeFolders(files, sideFiles)
    using fresh = createUnnamed(files, path)
    writeAll(files, fresh.file, Buffer.from(content))
    fresh.takeName()
  }
}

interface Fetched {
  readonly mark: AckMark
  readonly copy: LocalCopy
  readonly ports: FetchPorts
}

function assertSize(files: Files, log: OpenFile, { mark, copy, ports }: Fetched): void {
  if (files.stat(log).sizeBytes !== mark.bytes) throw lost(copy, ports)
}

function lost({ log }: LocalCopy, { name }: FetchPorts): StorageError {
  return new StorageError({ code: STORE_LOST, operation: `read ${log} from`, path: name })
}
