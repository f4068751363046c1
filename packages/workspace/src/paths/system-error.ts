import { getSystemErrorMessage } from 'node:util'

/** The code of a failed system call (`ENOENT`), or null when the error is something else. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Nothing lies at the path: it is missing, or a file stands where a folder is needed. */
export function isMissing(error: unknown): boolean {
  const code = systemErrorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** The system's own words ("permission denied"), without the code, the call and the path. */
export function systemErrorReason(error: unknown): string {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') {
    return getSystemErrorMessage(error.errno)
  }
  return error instanceof Error ? error.message : String(error)
}
