/** What the disk, or the state of a log on it, refused. `code` is an errno name or one of the log's own words below. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: string
  readonly operation: string
  readonly path: string
  /** The same call may succeed later (space returns, a file is put back); false: this object is finished. */
  readonly retryable: boolean

  constructor(failure: { code: string; operation: string; path: string; retryable?: boolean; cause?: unknown }) {
    super(`${failure.operation} ${failure.path}: ${failure.code}`, { cause: failure.cause })
    this.code = failure.code
    this.operation = failure.operation
    this.path = failure.path
    this.retryable = failure.retryable ?? RETRYABLE.has(failure.code)
  }
}

/** The log's own codes, beside the errno names. */
export const LOG_MOVED = 'MOVED'
export const LOG_CHANGED = 'CHANGED'
export const LOG_DELETED = 'DELETED'
export const LOG_REPLACED = 'REPLACED'
export const LOG_CLOSED = 'CLOSED'
export const LOCK_UNAVAILABLE = 'LOCK_UNAVAILABLE'

const RETRYABLE: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EINTR',
  LOG_MOVED,
])

export function storageError(operation: string, path: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause
  return new StorageError({ code: errnoCode(cause), operation, path, cause })
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof StorageError && codes.includes(error.code)
}

function errnoCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'UNKNOWN'
}
