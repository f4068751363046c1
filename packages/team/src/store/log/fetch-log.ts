import { dirname, join } from 'node:path'
import type { LocalCopy } from '@parley/engine/shared-store'
import {
  createFile,
  createUnnamed,
  type Files,
  keepTornPiece,
  makeFolders,
  type OpenFile,
  readSpan,
  STORE_LOST,
  STORE_PARTED,
  StorageError,
  writeAll,
} from '@parley/journal'
import { type AckMark, emptyMark, readMark, writeMark } from './ack-mark.ts'
import type { LogMessage, LogSubject } from './log-subject.ts'
import { sideFilesOf } from './named-contents.ts'
import type { Objects } from './objects.ts'
import type { RecentContents } from './recent-contents.ts'

export interface FetchPorts {
  readonly files: Files
  readonly subject: LogSubject
  readonly objects: Objects
  /** Contents of side files, from whichever conversation they were fetched for. */
  readonly recent: RecentContents
  readonly store: string
  /** Servers of the store, as people write them. */
  readonly name: string
}

/**
 * Brings the copy of a log up to the newest message: what was never acknowledged is cut off, what is missing is added.
 * A log without a mark was not fetched: it is compared, and nothing of it is cut off. So is a copy whose mark the
 * store does not have, which was put back into it by another server, or is lost. Resolves to the mark at its end; to null
 * where the store has no such conversation. Rejects with `STORE_LOST` where the store has less than it had acknowledged,
 * and with `STORE_PARTED` where the log is another one; the log may have more if `mayExceed`.
 */
export async function fetchLog(copy: LocalCopy, ports: FetchPorts, mayExceed = false): Promise<AckMark | null> {
  const { files, subject, store } = ports
  const known = knownMark(copy, ports)
  const newest = await subject.last()
  if (newest === null && (known?.sequence ?? 0) === 0) return null
  if (newest === null && !mayExceed) throw lost(copy, ports)
  const hasNoMark = files.look(copy.acked) === null || (mayExceed && known === null)
  const isOwn = hasNoMark && files.look(copy.log) !== null
  const isCompared = isOwn || !(await hasMarked(known, newest, subject))
  makeFolders(files, dirname(copy.log))
  const reached = known ?? emptyMark(store)
  const log = openCopy(copy, ports, { mark: reached, isOwn, isUnfinished: known?.sequence === 0 })
  try {
    const start = isCompared ? emptyMark(store) : reached
    return await readBehind(log, { start, newest, isCompared, isOwn, mayExceed, copy, ports })
  } finally {
    files.close(log)
  }
}

interface Reading {
  readonly start: AckMark
  /** Newest message; null for an empty subject. */
  readonly newest: LogMessage | null
  /** True where the log is compared from its beginning. */
  readonly isCompared: boolean
  /** True for a log that was not fetched. */
  readonly isOwn: boolean
  readonly mayExceed: boolean
  readonly copy: LocalCopy
  readonly ports: FetchPorts
}

/** Reads the messages behind a mark into a log. Resolves to the mark behind them, which is on disk then for a copy. */
async function readBehind(log: OpenFile, reading: Reading): Promise<AckMark> {
  const { start, newest, isCompared, isOwn, mayExceed, copy, ports } = reading
  const { files, subject, store } = ports
  const differs = () => (isOwn ? parted(copy, ports) : lost(copy, ports))
  const { sizeBytes } = files.stat(log)
  let mark = start
  let isMore = isCompared
  try {
    const behind = { sequence: start.sequence, to: start.bytes }
    for await (const message of newest === null ? [] : subject.read(behind, newest)) {
      if (message.from !== mark.bytes) throw lost(copy, ports)
      await addMessage(log, { message, sizeBytes, differs, copy, ports })
      mark = { store, bytes: message.to, sequence: message.sequence, claim: message.claim }
    }
    isMore = isCompared && sizeBytes > mark.bytes
    if (isMore && !mayExceed) throw differs()
    if (!isMore && files.stat(log).sizeBytes !== mark.bytes) throw lost(copy, ports)
    return mark
  } finally {
    // Messages from before a failure are not fetched again. Compared lines are marked only once the log is known to be
    // a copy.
    if (mark.sequence > 0 && !isMore) writeMark(files, copy.acked, mark)
  }
}

/** Tells if a store still has the message at a mark. One that was set back may have another in its place. */
async function hasMarked(mark: AckMark | null, newest: LogMessage | null, subject: LogSubject): Promise<boolean> {
  if (mark === null || mark.sequence === 0) return true
  const found = newest?.sequence === mark.sequence ? newest : await subject.at(mark.sequence)
  return found !== null && found.claim === mark.claim && found.to === mark.bytes
}

interface Added extends Pick<Reading, 'copy' | 'ports'> {
  readonly message: LogMessage
  /** Size of the log before anything was added: these bytes are compared. */
  readonly sizeBytes: number
  /** Makes the error for a log that has something else. */
  readonly differs: () => StorageError
}

/** Adds the bytes of a message that a log lacks. Throws where the log has other bytes. */
async function addMessage(log: OpenFile, { message, sizeBytes, differs, copy, ports }: Added): Promise<void> {
  const { files } = ports
  const bytes = await bytesOfMessage(message, ports)
  if (bytes === null) throw lost(copy, ports)
  const length = Math.max(0, Math.min(bytes.length, sizeBytes - message.from))
  if (length > 0 && !readSpan(files, log, { offset: message.from, length }).equals(bytes.subarray(0, length)))
    throw differs()
  writeAll(files, log, bytes.subarray(length))
  await fetchFiles(await sideFilesOf(message, ports.objects), copy, ports)
}

interface OpenedCopy extends Pick<Reading, 'isOwn'> {
  readonly mark: AckMark
  /** True for a log that was being fetched when its process was killed. */
  readonly isUnfinished: boolean
}

/**
 * Opens the log of a copy, cut to what is acknowledged. The rest was shown to no client of the store, and is kept aside
 * all the same. The mark is there before the log is, so that an unfinished copy is not taken for a log of this machine.
 */
function openCopy(copy: LocalCopy, { files }: FetchPorts, { mark, isOwn, isUnfinished }: OpenedCopy): OpenFile {
  const isThere = files.look(copy.log) !== null
  if (!isThere) writeMark(files, copy.acked, mark)
  const log = isThere ? files.open(copy.log, 'edit') : createFile(files, copy.log)
  const { sizeBytes } = files.stat(log)
  if (isOwn || sizeBytes <= mark.bytes) return log
  if (!isUnfinished) keepTornPiece(files, log, { byteOffset: mark.bytes, endOffset: sizeBytes })
  files.truncate(log, mark.bytes)
  return log
}

/** Returns the mark of the copy; null where the log is to be fetched from its beginning. */
function knownMark({ log, acked }: LocalCopy, { files, store }: FetchPorts): AckMark | null {
  const mark = readMark(files, acked)
  const sizeBytes = files.look(log)?.sizeBytes ?? 0
  return mark === null || mark.store !== store || sizeBytes < mark.bytes ? null : mark
}

/** Resolves to the bytes of a message; null where the object that has them is gone. */
export async function bytesOfMessage(
  { object, bytes }: LogMessage,
  { objects }: Pick<FetchPorts, 'objects'>,
): Promise<Buffer | null> {
  if (object === null) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = await objects.get(object)
  return content === null ? null : Buffer.from(content)
}

/** Fetches side files that are not here. One that the store has lost is missing, as one that a disk has lost. */
async function fetchFiles(names: readonly string[], { sideFiles }: LocalCopy, { files, objects, recent }: FetchPorts) {
  if (names.length > 0) makeFolders(files, sideFiles)
  for (const name of names) {
    const path = join(sideFiles, name)
    if (files.look(path) !== null) continue
    const known = recent.get(name)
    const content = known ?? (await objects.get(name))
    if (content === null) continue
    if (known === null) recent.keep(name, content)
    using fresh = createUnnamed(files, path)
    writeAll(files, fresh.file, Buffer.from(content))
    fresh.takeName()
  }
}

function lost({ log }: LocalCopy, { name }: FetchPorts): StorageError {
  return new StorageError({ code: STORE_LOST, operation: `read ${log} from`, path: name })
}

function parted({ log }: LocalCopy, { name }: FetchPorts): StorageError {
  return new StorageError({ code: STORE_PARTED, operation: `compare ${log} with`, path: name })
}
