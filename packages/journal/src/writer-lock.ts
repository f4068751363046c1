import { dirname } from 'node:path'
import { isOwnerAlive } from '@parley/host'
import { makeFolders, openExisting, replaceFile } from './disk/file-io.ts'
import { FILE_MODE, type Files, type HeldLock } from './disk/files.ts'
import { hasCode, StorageError } from './disk/storage-error.ts'
import { isRecord, parseJson } from './line/line.ts'

/** `heldBy` null: held, but the holder did not leave a readable word about itself. */
interface LockRefused {
  readonly heldBy: Owner | null
}

/**
 * The right to write one conversation. The kernel keeps it: free the moment its owner is dead, refused while the owner is
 * only paused. The lock file stays behind when released, since removing it would let two holders in.
 */
export class WriterLock implements Disposable {
  readonly #files: Files
  readonly #held: HeldLock
  readonly #place: LockPlace
  #released = false

  private constructor(files: Files, held: HeldLock, place: LockPlace) {
    this.#files = files
    this.#held = held
    this.#place = place
  }

  /** Throws `LOCK_UNAVAILABLE` where the file system or this Node cannot lock: better no writer than two. */
  static tryAcquire(files: Files, place: LockPlace, owner: Owner): WriterLock | LockRefused {
    makeFolders(files, dirname(place.lock))
    prepareLockFile(files, place.lock)
    const held = files.lock(place.lock)
    if (held === null) return { heldBy: readOwnerQuietly(files, place.owner) }
    const lock = new WriterLock(files, held, place)
    lock.announce(owner)
    return lock
  }

  /** Says who holds it, again when that changes (a socket opened). A full disk does not cost the lock. */
  announce(owner: Owner): void {
    quietly(() => replaceFile(this.#files, this.#place.owner, JSON.stringify(owner)))
  }

  /** The word about the owner goes first: once the lock is free it may be the next one's. */
  [Symbol.dispose](): void {
    if (this.#released) return
    this.#released = true
    quietly(() => this.#files.remove(this.#place.owner))
    this.#held.release()
  }
}

interface LockPlace {
  readonly lock: string
  readonly owner: string
}

/** Created before SQLite would, for its mode; one that exists is looked at but never opened. */
function prepareLockFile(files: Files, path: string): void {
  try {
    files.close(files.open(path, 'createNew'))
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  const facts = files.look(path)
  if (facts?.kind !== 'file') throw new StorageError({ code: 'ENOTREG', operation: 'lock', path })
  if (facts.mode !== FILE_MODE) files.setModeAt(path, FILE_MODE)
}

function readOwnerQuietly(files: Files, path: string): Owner | null {
  try {
    return readOwner(files, path)
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}

function quietly(hint: () => void): void {
  try {
    hint()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

/** Who holds a conversation. A hint for people and for finding its socket; the lock is the truth. */
export interface Owner {
  readonly pid: number
  /** Clock ticks since boot, as the kernel counts them; null where it does not say. With the pid it names one process. */
  readonly startTime: string | null
  readonly bootId: string | null
  /** Where the owner can be reached; null when it listens nowhere. */
  readonly socket: string | null
  readonly program: string
}

export function thisProcess(files: Files, about: { program: string; socket: string | null }): Owner {
  return {
    pid: process.pid,
    startTime: startTimeOf(files, process.pid),
    bootId: readText(files, '/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    ...about,
  }
}

/** Null when there is none, or none that can be read. */
export function readOwner(files: Files, path: string): Owner | null {
  const value = parseJson(readText(files, path) ?? '')
  return isOwner(value) ? value : null
}

/** A process number alone may be another's by now. */
export function isRunning({ pid, startTime }: Owner): boolean {
  if (startTime !== null) return isOwnerAlive({ pid, startTime })
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The 22nd field; the second one is a name in brackets that may hold blanks and brackets itself. */
function startTimeOf(files: Files, pid: number): string | null {
  const stat = readText(files, `/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

const MAX_BYTES = 64 * 1024

/** Files under /proc have no size to go by, so this reads what there is, up to a limit. */
function readText(files: Files, path: string): string | null {
  const file = openExisting(files, path)
  if (file === null) return null
  try {
    const buffer = Buffer.alloc(MAX_BYTES)
    return buffer.toString('utf8', 0, files.read(file, buffer, 0))
  } finally {
    files.close(file)
  }
}

function isOwner(value: unknown): value is Owner {
  if (!isRecord(value)) return false
  const { pid, startTime, bootId, socket, program } = value
  const isText = [startTime, bootId, socket].every((field) => field === null || typeof field === 'string')
  return Number.isSafeInteger(pid) && isText && typeof program === 'string'
}
