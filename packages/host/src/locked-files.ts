import { EventEmitter } from 'node:events'
import { closeSync, fstatSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'

/** A file that stays unopened, as this process holds the kernel's lock on it. */
export class LockedFile extends Error {
  override readonly name = 'LockedFile'
  readonly code = 'EBUSY'

  constructor() {
    super('it is the lock of an open conversation, and reading it here would give that lock up')
  }
}

/** Descriptors of a locked file that must stay open until its lock is released. */
type Kept = (number | FileHandle)[]

/** By device and inode. POSIX drops a process's locks on a file when it closes any descriptor of that file. */
const locked = new Map<string, Kept>()
/** Files that are open now by `openUnlockedHandle`, which may be closed after a lock on them is taken. */
const opened = new Set<{ readonly identity: string }>()

/**
 * Keeps every other open of the file at `path`, whose lock this process has just taken, from dropping that lock.
 * Returns what ends it, to be called after the lock is released. Throws `LockedFile` while the file is being read here.
 */
export function markLocked(path: string): () => void {
  const identity = identityOf(statSync(path, { bigint: true }))
  if ([...opened].some((known) => known.identity === identity)) throw new LockedFile()
  const kept: Kept = []
  locked.set(identity, kept)
  return () => {
    locked.delete(identity)
    for (const descriptor of kept) closeQuietly(descriptor)
  }
}

/** As `openSync`; every open of a path that can come from outside goes through here. Throws `LockedFile`. */
export function openUnlocked(path: string, flags: number | string, mode?: number): number {
  if (locked.size === 0) return openSync(path, flags, mode)
  const found = statOrNull(path)
  if (found !== null && locked.has(identityOf(found))) throw new LockedFile()
  const descriptor = openSync(path, flags, mode)
  keepIfLocked(descriptor, descriptor)
  return descriptor
}

/** As `open` of `fs/promises`, under the same rule. */
export async function openUnlockedHandle(path: string, flags: number | string, mode?: number): Promise<FileHandle> {
  const found = locked.size === 0 ? null : await stat(path, { bigint: true }).catch(() => null)
  if (found !== null && locked.has(identityOf(found))) throw new LockedFile()
  const handle = await open(path, flags, mode)
  const reading = { identity: keepIfLocked(handle.fd, handle) }
  // Every handle is one; the types do not say so.
  if (handle instanceof EventEmitter) {
    opened.add(reading)
    handle.once('close', () => opened.delete(reading))
  }
  return handle
}

/** All text of the file at `path`. Throws `LockedFile`. */
export function readUnlocked(path: string): string {
  return withDescriptor(openUnlocked(path, 'r'), (descriptor) => readFileSync(descriptor, 'utf8'))
}

/** Adds to the end of the file at `path`, which is made for its owner alone. Throws `LockedFile`. */
export function appendUnlocked(path: string, content: string | Uint8Array): void {
  withDescriptor(openUnlocked(path, 'a', 0o600), (descriptor) => writeFileSync(descriptor, content))
}

function withDescriptor<Result>(descriptor: number, use: (descriptor: number) => Result): Result {
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The path led elsewhere when it was looked at: to close what was opened would drop the lock, so it stays open. */
function keepIfLocked(fd: number, descriptor: number | FileHandle): string {
  const identity = identityOf(fstatSync(fd, { bigint: true }))
  const kept = locked.get(identity)
  if (kept === undefined) return identity
  kept.push(descriptor)
  throw new LockedFile()
}

/** Exact: as plain numbers, inodes of some file systems would be rounded and taken for one another. */
function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`
}

/** Null for a path that cannot be looked at: the open says why, or makes the file. */
function statOrNull(path: string) {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return null
  }
}

function closeQuietly(descriptor: number | FileHandle): void {
  if (typeof descriptor === 'number') closeSync(descriptor)
  else descriptor.close().catch(() => undefined)
}
