import { STORE_FULL, STORE_GONE, STORE_LOST, STORE_SLOW, StorageError } from '@parley/journal'

/** Codes of the server for a store without room: resources, storage of the account or the server, a failed write. */
const fullCodes: ReadonlySet<number> = new Set([10023, 10028, 10047, 10077])
/** Code of the server for a stream that is not there. */
const noStreamCode = 10059
/** Codes of the server for another last message than was expected; newer servers have one for what is being stored. */
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

function apiCode(error: unknown): number | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : null
}
