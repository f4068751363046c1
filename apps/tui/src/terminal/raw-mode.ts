/** What a terminal is answered for that was closed: there is no mode to set any more, and nothing to restore. */
const isGone: ReadonlySet<string> = new Set(['EIO', 'EBADF', 'ENOTTY', 'ENXIO'])

/** Raw mode on or off. Does nothing when the terminal has gone; that it has is told by the end of its input. */
export function setRawMode(stdin: Pick<NodeJS.ReadStream, 'setRawMode'>, isRaw: boolean): void {
  try {
    stdin.setRawMode(isRaw)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && isGone.has(String(error.code)))) throw error
  }
}
