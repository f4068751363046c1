/** Errno names the server gives for a log that another program changed while it was open. */
const lostLogs: ReadonlySet<string> = new Set(['DELETED', 'MOVED', 'REPLACED', 'CHANGED'])
const fullDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/** Conversation stopped because its log was changed by another program. */
export interface LostLog {
  readonly errno: string
  /** Message of the server: what happened, what it means, what to do. */
  readonly text: string
}

export function isLostLog(errno: unknown): errno is string {
  return typeof errno === 'string' && lostLogs.has(errno)
}

/** Returns true if the disk is full; accepted work continues by itself once there is room. */
export function isDiskFull(errno: string | undefined): boolean {
  return errno !== undefined && fullDisks.has(errno)
}

/** Returns true if nothing can be resumed until the user restores the log. */
export function isLogGone(lost: LostLog | null): boolean {
  return lost !== null && lost.errno !== 'CHANGED'
}
