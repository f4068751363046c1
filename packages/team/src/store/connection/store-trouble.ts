import { STORE_FULL, STORE_GONE, STORE_LOST, STORE_SLOW, StorageError } from '@parley/journal'

/** Codes of the server for a store without room: resources, storage of the account or the server, a failed write. */
const fullCodes: ReadonlySet<number> = new Set([10023, 10028, 10047, 10077])
/** Code of the server for a stream that is not there. */
const noStreamCode = 10059
/** Code of the server while the servers of the store elect. */
const electingCode = 10008
/** Names of the library's errors meanwhile: no answer, no leader that takes a message, an interrupted read. */
const electingNames: ReadonlySet<string> = new Set(['TimeoutError', 'JetStreamNotEnabled', 'JetStreamError'])
/** Codes of the system for a server that is not there, or not there yet. */
const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
])
/**
 * Codes of the server for another last message than was expected; newer servers have a code for a message that is being
 * stored.
 */
const outdatedCodes: ReadonlySet<number> = new Set([10071, 10158, 10164])

/** Converts a failure of the client library to an error of the storage. `store` names the store for people. */
export function storeError(operation: string, store: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause
  return new StorageError({ code: codeOf(cause), operation, path: store, cause })
}

function codeOf(cause: unknown): string {
  // A defect does not pass.
  if (cause instanceof TypeError || cause instanceof RangeError || cause instanceof SyntaxError) return 'UNKNOWN'
  const code = apiCode(cause)
  if (code === noStreamCode) return STORE_LOST
  if (code !== null && fullCodes.has(code)) return STORE_FULL
  const name = cause instanceof Error ? cause.name : ''
  return name === 'TimeoutError' ? STORE_SLOW : STORE_GONE
}

/** Tells if a message was refused because another follows the one that it was to follow. */
export function isOutdated(error: unknown): boolean {
  const code = apiCode(error)
  return code !== null && outdatedCodes.has(code)
}

/** Tells if a stream is not there, which the servers of the store have agreed on. */
export function isStreamMissing(error: unknown): boolean {
  return apiCode(error) === noStreamCode
}

/** Tells if a failure, or its cause, passes when the servers of the store have elected. */
export function isElecting(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof StorageError || error.name === 'UnusableStoreError') return isElecting(error.cause)
  return apiCode(error) === electingCode || electingNames.has(error.name)
}

/** Tells if a failed connection, or its cause, may succeed later with the same options. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && unreachableCodes.has(error.code)) return true
  return error.name === 'TimeoutError' || isUnreachable(error.cause)
}

function apiCode(error: unknown): number | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null
}
