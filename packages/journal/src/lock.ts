import { dirname } from 'node:path'
import { FILE_MODE, type Files, type HeldLock } from './files.ts'
import { makeFolders } from './folders.ts'
import { type Owner, readOwner } from './owner.ts'
import { hasCode, StorageError } from './storage-error.ts'
import { replaceFile } from './write-file.ts'

/** `heldBy` null: held, but the holder did not leave a readable word about itself. */
export interface LockRefused {
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

export interface LockPlace {
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
