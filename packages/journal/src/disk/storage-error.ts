import { constants } from 'node:os'

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
export type StorageTrouble = 'full' | 'passing' | 'final'

/** The log's own codes, beside the errno names. */
export const LOG_MOVED = 'MOVED'
export const LOG_CHANGED = 'CHANGED'
export const LOG_DELETED = 'DELETED'
export const LOG_REPLACED = 'REPLACED'
/** The file belongs to another user, who could have written anything into it. */
export const LOG_FOREIGN = 'FOREIGN'
export const LOG_CLOSED = 'CLOSED'
export const LOCK_UNAVAILABLE = 'LOCK_UNAVAILABLE'

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])
const PASSING: ReadonlySet<string> = new Set([
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EINTR',
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

function errnoCode(cause: unknown): string {
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return 'UNKNOWN'
  return Object.hasOwn(constants.errno, cause.code) ? cause.code : (errnoName(cause) ?? cause.code)
}

/** Returns the name of an errno that Node does not name: an exceeded quota is its `UNKNOWN`, errno -122. */
function errnoName(cause: Error): string | undefined {
  if (!('errno' in cause) || typeof cause.errno !== 'number') return undefined
  const number = -cause.errno
  return Object.entries(constants.errno).find(([, known]) => known === number)?.[0]
}
