/** Returns the errno name that Node put on an error; `EIO` for anything without one. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return 'EIO'
  return error.code
}
