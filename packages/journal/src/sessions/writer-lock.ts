import { dirname } from 'node:path'
import { isOwnerAlive } from '@parley/host'
import { isRecord, parseJson } from '@parley/text'
import { makeFolders, openExisting, replaceFile } from '../disk/file-io.ts'
import {
  FILE_MODE,
  type FileContents,
  type Files,
  type HeldLock,
  hasCode,
  quietly,
  StorageError,
} from '../disk/files.ts'

/**
 * Lock on writing one conversation. The kernel frees it when its owner dies; the owner file keeps it where the kernel's
 * lock was dropped. The lock file stays, since removing it would let two holders in.
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

  /**
   * Takes the lock if it is free; else returns its owner, null when the owner file cannot be read. Throws `ENOLCK` where
   * the file system has no locks, `LOCK_UNAVAILABLE` for other causes.
   */
  static tryAcquire(files: Files, place: LockPlace, owner: Owner): WriterLock | { readonly heldBy: Owner | null } {
    makeFolders(files, dirname(place.lock))
    prepareLockFile(files, place.lock)
    const held = files.lock(place.lock)
    const earlier = readOwnerQuietly(files, place.owner)
    if (held === null) return { heldBy: earlier }
    if (earlier !== null && isLivingOther(earlier, owner)) {
      held.release()
      return { heldBy: earlier }
    }
    const lock = new WriterLock(files, held, place)
    lock.announce(owner)
    return lock
  }

  /** Writes the owner file, again when the owner's socket changes. Ignores disk errors: the lock is held anyway. */
  announce(owner: Owner): void {
    quietly(() => replaceFile(this.#files, this.#place.owner, JSON.stringify(owner)))
  }

  /** Removes the owner file, then frees the lock: afterwards the file may belong to the next owner. */
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

/**
 * Tests if another process of this boot still claims the conversation. POSIX drops the kernel's lock when its holder
 * closes any descriptor of the file, and a deleted lock file locks nothing: the claim holds then.
 */
function isLivingOther(earlier: Owner, owner: Owner): boolean {
  const isSame = earlier.pid === owner.pid && earlier.startTime === owner.startTime
  // Without a start time a later process with the same number could be taken for the owner.
  return !isSame && earlier.startTime !== null && earlier.bootId === owner.bootId && isRunning(earlier)
}

/** Creates the lock file with its mode before SQLite would. An existing one is checked but never opened. */
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
  // Most often the file is missing, and a look costs less than a failed open.
  return quietly(() => (files.look(path) === null ? null : readOwner(files, path)))
}

/** Process that holds a conversation, as its owner file names it. */
export interface Owner {
  readonly pid: number
  /** Clock ticks since boot, null where the kernel does not tell. Identifies one process together with the pid. */
  readonly startTime: string | null
  readonly bootId: string | null
  /** Path of the owner's socket; null when it listens nowhere. */
  readonly socket: string | null
  readonly program: string
}

export function thisProcess(files: FileContents, about: { program: string; socket: string | null }): Owner {
  return {
    pid: process.pid,
    startTime: startTimeOf(files, process.pid),
    bootId: readText(files, '/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    ...about,
  }
}

/** Reads an owner file. Returns null when it is missing or malformed. */
export function readOwner(files: FileContents, path: string): Owner | null {
  const value = parseJson(readText(files, path) ?? '')
  return isOwner(value) ? value : null
}

/** Tests if the owner still runs. Its start time tells it from a later process with the same pid. */
export function isRunning({ pid, startTime }: Owner): boolean {
  if (startTime !== null) return isOwnerAlive({ pid, startTime })
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns field 22 of /proc/<pid>/stat; field 2 is a name in brackets that may hold blanks and brackets. */
function startTimeOf(files: FileContents, pid: number): string | null {
  const stat = readText(files, `/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

const MAX_BYTES = 64 * 1024

/** Reads a file up to a limit: files under /proc report no size. */
function readText(files: FileContents, path: string): string | null {
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
