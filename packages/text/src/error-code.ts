/** Returns the code that Node or the system put on an error, such as `ENOENT`; null for any other value. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Returns true for a failed system call on a path that does not exist or leads through a file as if it were a folder. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Returns what a function returns; null where it throws. */
export function orNull<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}
