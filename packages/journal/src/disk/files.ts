import { constants } from 'node:os'
import { errorCode } from '@parley/text'

/** Operations on regular files and their bytes. Every failure is a `StorageError`. */
export interface FileContents {
  /** Opens a regular file, and nothing else. Does not follow a link in the last component. */
  open(path: string, access: FileAccess): OpenFile
  close(file: OpenFile): void
  /** Reads into `buffer` from its start. Returns the number of bytes, 0 at the end. */
  read(file: OpenFile, buffer: Buffer, position: number): number
  /** Writes at the end of the file. Returns the number of bytes, which may be fewer than given. */
  write(file: OpenFile, bytes: Buffer): number
  /** Overwrites bytes in one write. Used for the header only. */
  overwrite(file: OpenFile, bytes: Buffer, position: number): void
  /** Calls fdatasync on the thread pool. */
  sync(file: OpenFile): Promise<void>
  truncate(file: OpenFile, sizeBytes: number): void
  setMode(file: OpenFile, mode: number): void
  stat(file: OpenFile): FileFacts
}

/** Operations on the entries of folders, by path. Every failure is a `StorageError`. */
export interface FolderEntries {
  /** Returns facts of the entry itself, without following a link; null for a missing entry. */
  look(path: string): FileFacts | null
  list(path: string): string[]
  makeFolder(path: string): void
  /** Sets the mode of a folder just made, or of a file that must not be opened. */
  setModeAt(path: string, mode: number): void
  rename(from: string, to: string): void
  link(from: string, to: string): void
  remove(path: string): void
  /** Removes an entry with all below it; ignores a missing entry. */
  removeTree(path: string): void
  syncFolder(path: string): Promise<void>
}

/** Port to the disk, so that a test can make the Nth operation fail. */
export interface Files extends FileContents, FolderEntries {
  /** Takes the kernel lock of a file. Returns null while another process or another holder in this one has it. */
  lock(path: string): HeldLock | null
}

/** `createNew` appends to a file that did not exist; `edit` reads and appends. */
export type FileAccess = 'read' | 'edit' | 'createNew'

export interface OpenFile {
  readonly fd: number
  readonly path: string
}

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other'
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  /** Time of the last change of content or of such facts; no program can set it. */
  readonly changedAtMs: number
  readonly inode: number
  readonly device: number
  /** Number of names; 0 for an open file that was deleted. */
  readonly links: number
  /** Permission bits only. */
  readonly mode: number
}

export interface HeldLock {
  release(): void
}

export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/** Failure of the disk, or of a log on it. `code` is an errno name or one of the log's own codes below. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: string
  readonly operation: string
  readonly path: string
  /** True when the same call may succeed later (space returns, a file is put back); else the object is unusable. */
  readonly retryable: boolean

  constructor(failure: { code: string; operation: string; path: string; retryable?: boolean; cause?: unknown }) {
    super(`${failure.operation} ${failure.path}: ${failure.code}`, { cause: failure.cause })
    this.code = failure.code
    this.operation = failure.operation
    this.path = failure.path
    this.retryable = failure.retryable ?? troubleOf(failure.code) !== 'final'
  }
}

/** `full`: space is missing and may return. `passing`: the same call may succeed later. `final`: it will not. */
type StorageTrouble = 'full' | 'passing' | 'final'

/** The log's own codes, beside the errno names. */
export const LOG_MOVED = 'MOVED'
export const LOG_CHANGED = 'CHANGED'
export const LOG_DELETED = 'DELETED'
export const LOG_REPLACED = 'REPLACED'
/** The file belongs to another user, so its content cannot be trusted. */
export const LOG_FOREIGN = 'FOREIGN'
/** The file does not begin as a log, and has a further name: it may be a file of something else. */
export const LOG_LINKED = 'LINKED'
export const LOG_CLOSED = 'CLOSED'
export const LOCK_UNAVAILABLE = 'LOCK_UNAVAILABLE'
/** Codes of a store that several servers share: it has no room, does not answer in time, or cannot be reached. */
export const STORE_FULL = 'STORE_FULL'
export const STORE_SLOW = 'STORE_SLOW'
export const STORE_GONE = 'STORE_GONE'
/** Another server writes the conversation now. */
export const STORE_TAKEN = 'STORE_TAKEN'
/** The store has less than it had acknowledged. */
export const STORE_LOST = 'STORE_LOST'
/** The store has an older decision than one read from it before. */
export const STORE_OLDER = 'STORE_OLDER'
/** The log here is no copy of the store's: each lacks lines of the other, or it went on without the store. */
export const STORE_PARTED = 'STORE_PARTED'

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', STORE_FULL])
const PASSING: ReadonlySet<string> = new Set([
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EINTR',
  'EBUSY',
  'ETIMEDOUT',
  // The owner may give the right back.
  'EACCES',
  'EPERM',
  // A network file system, or one in user space, that is away.
  'ESTALE',
  'ENOLCK',
  'ENOTCONN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EREMOTEIO',
  // A device that was taken out.
  'ENODEV',
  'ENXIO',
  STORE_SLOW,
  STORE_GONE,
  LOG_MOVED,
])

/** Classifies a code. Retries, giving up and messages to the user all depend on this one classification. */
export function troubleOf(code: string): StorageTrouble {
  if (FULL.has(code)) return 'full'
  return PASSING.has(code) ? 'passing' : 'final'
}

export function storageError(operation: string, path: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause
  return new StorageError({ code: errnoCode(cause), operation, path, cause })
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof StorageError && codes.includes(error.code)
}

/** Returns the result of `run`; null where the disk fails, for a part that nothing depends on. */
export function quietly<Result>(run: () => Result): Result | null {
  try {
    return run()
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}

function errnoCode(cause: unknown): string {
  const code = errorCode(cause)
  if (!(cause instanceof Error) || code === null) return 'UNKNOWN'
  return Object.hasOwn(constants.errno, code) ? code : (errnoName(cause) ?? code)
}

/** Returns the name of an errno that Node does not name: an exceeded quota is its `UNKNOWN`, errno -122. */
function errnoName(cause: Error): string | undefined {
  if (!('errno' in cause) || typeof cause.errno !== 'number') return undefined
  const number = -cause.errno
  return Object.entries(constants.errno).find(([, known]) => known === number)?.[0]
}
