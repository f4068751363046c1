/** Names that the server gives for a log that others changed while it was open. */
const lostLogs: ReadonlySet<string> = new Set(['DELETED', 'MOVED', 'REPLACED', 'CHANGED'])
const fullDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/** A conversation that has stopped, as its log is not what was written. */
export interface LostLog {
  readonly errno: string
  /** The server's sentence: what happened, what it means, what to do. */
  readonly text: string
}

export function isLostLog(errno: unknown): errno is string {
  return typeof errno === 'string' && lostLogs.has(errno)
}

/** Room is missing and may return: what was accepted goes on by itself then. */
export function isDiskFull(errno: string | undefined): boolean {
  return errno !== undefined && fullDisks.has(errno)
}

/** Whether there is nothing to resume until the user has put the log back. */
export function isLogGone(lost: LostLog | null): boolean {
  return lost !== null && lost.errno !== 'CHANGED'
}
