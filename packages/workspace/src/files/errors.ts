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

/** The place where a conversation works cannot be asked. Its message is a sentence for people and for the model. */
export class PlaceUnreachable extends Error {
  override readonly name = 'PlaceUnreachable'
}

/** For `catch`: the value to go on with where a place has no answer; a place that cannot be asked at all is no answer. */
export function whenUnknown<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof PlaceUnreachable) throw error
    return value
  }
}

/** Does a step whose failure changes nothing for the caller; tells whether it worked. */
export async function succeeds(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step()
    return true
  } catch {
    return false
  }
}
