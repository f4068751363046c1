import { EventEmitter } from 'node:events'
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { orNull } from '@parley/text'

/** Thrown for a file that is not opened because this process holds the kernel's lock on it. */
export class LockedFileError extends Error {
  override readonly name = 'LockedFileError'
  readonly code = 'EBUSY'

  constructor() {
    super('it is the lock of an open conversation, and reading it here would give that lock up')
  }
}

/** Thrown for a pipe where a file is meant. */
class PipeError extends Error {
  override readonly name = 'PipeError'

  constructor() {
    super('it is a pipe, not a file')
  }
}

/** Descriptors of a locked file that must stay open until its lock is released. */
type OpenDescriptors = (number | FileHandle)[]

/** Locked files by device and inode. POSIX drops a process's locks on a file when it closes any descriptor of that file. */
const locked = new Map<string, OpenDescriptors>()
/** Files opened by `openUnlockedHandle`; their close could drop a lock taken later. */
const opened = new Set<{ readonly identity: string }>()

/**
 * Keeps other opens of the file at `path` from dropping the lock just taken. Returns the function that ends this after
 * the release. Throws `LockedFileError` while it is read here.
 */
export function markLocked(path: string): () => void {
  const identity = identityOf(statSync(path, { bigint: true }))
  if ([...opened].some((known) => known.identity === identity)) throw new LockedFileError()
  const kept: OpenDescriptors = []
  locked.set(identity, kept)
  return () => {
    locked.delete(identity)
    for (const descriptor of kept) closeQuietly(descriptor)
  }
}

/** Opens as `openSync` does; every open of a path that can come from outside goes through here. Throws `LockedFileError`. */
export function openUnlocked(path: string, flags: number | string, mode?: number): number {
  if (locked.size === 0) return openSync(path, flags, mode)
  const found = statOrNull(path)
  if (found !== null && locked.has(identityOf(found))) throw new LockedFileError()
  const descriptor = openSync(path, flags, mode)
  keepIfLocked(descriptor, descriptor)
  return descriptor
}

/** Opens as `open` of `fs/promises` does. Rejects with `LockedFileError`. */
export async function openUnlockedHandle(path: string, flags: number | string, mode?: number): Promise<FileHandle> {
  const found = locked.size === 0 ? null : await stat(path, { bigint: true }).catch(() => null)
  if (found !== null && locked.has(identityOf(found))) throw new LockedFileError()
  const handle = await open(path, flags, mode)
  const reading = { identity: keepIfLocked(handle.fd, handle) }
  // Node's types do not say that every handle is an EventEmitter.
  if (handle instanceof EventEmitter) {
    opened.add(reading)
    handle.once('close', () => opened.delete(reading))
  }
  return handle
}

/** Returns all text of the file at `path`. Throws `LockedFileError`, and `PipeError` for what could never be read to its end. */
export function readUnlocked(path: string): string {
  // The open of a pipe would wait for a writer, and stop this process meanwhile.
  return withUnlocked(path, constants.O_RDONLY | constants.O_NONBLOCK, (descriptor) => {
    if (fstatSync(descriptor).isFIFO()) throw new PipeError()
    return readFileSync(descriptor, 'utf8')
  })
}

/** Appends to the file at `path`, which is created with mode 0600. Throws `LockedFileError`. */
export function appendUnlocked(path: string, content: string | Uint8Array): void {
  withUnlocked(path, 'a', (descriptor) => writeFileSync(descriptor, content))
}

/** Opens a file for the duration of `use`, as `openUnlocked` does; a file that is made gets mode 0600. */
export function withUnlocked<Result>(
  path: string,
  flags: number | string,
  use: (descriptor: number) => Result,
): Result {
  const descriptor = openUnlocked(path, flags, 0o600)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Keeps a descriptor open when its path turned out to lead to a locked file: closing it would drop the lock. Then throws. */
function keepIfLocked(fd: number, descriptor: number | FileHandle): string {
  const identity = identityOf(fstatSync(fd, { bigint: true }))
  const kept = locked.get(identity)
  if (kept === undefined) return identity
  kept.push(descriptor)
  throw new LockedFileError()
}

/** Names a file exactly: as plain numbers, inodes of some file systems would be rounded and confused. */
function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`
}

/** Returns facts of a file, links followed; null for a missing file or one that cannot be examined. */
export function statOrNull(path: string) {
  return orNull(() => statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null)
}

function closeQuietly(descriptor: number | FileHandle): void {
  if (typeof descriptor === 'number') closeSync(descriptor)
  else descriptor.close().catch(() => undefined)
}
