import { basename, join } from 'node:path'

/** Everything one conversation has on disk. */
export interface SessionPaths {
  readonly folder: string
  readonly log: string
  /** Opened by `Files.lock` and by nothing else. */
  readonly lock: string
  readonly owner: string
  readonly sideFiles: string
  /** What its sandboxed commands see as /tmp, while it is open. */
  readonly scratch: string
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const LOG_SUFFIX = '.jsonl'

export function isConversationId(text: string): boolean {
  return UUID_V7.test(text)
}

export function sessionsFolder(home: string): string {
  return join(home, 'sessions')
}

export function scratchFolder(home: string): string {
  return join(home, 'scratch')
}

/** The id alone says where, as it holds the clock (UTC). Null for anything but a UUIDv7, so no id can lead elsewhere. */
export function sessionPaths(home: string, conversationId: string): SessionPaths | null {
  if (!isConversationId(conversationId)) return null
  const folder = join(sessionsFolder(home), ...dayOf(conversationId))
  const stem = join(folder, conversationId)
  return {
    folder,
    log: `${stem}${LOG_SUFFIX}`,
    lock: `${stem}.lock`,
    owner: `${stem}.owner.json`,
    sideFiles: `${stem}.files`,
    scratch: join(scratchFolder(home), conversationId),
  }
}

/** The name of a log without its ending, whether it is an id or not. */
export function conversationIdOf(logPath: string): string {
  return basename(logPath, LOG_SUFFIX)
}

/** The id a file name in a day's folder stands for; null for every other file there. */
export function idOfLogName(name: string): string | null {
  if (!name.endsWith(LOG_SUFFIX)) return null
  const id = name.slice(0, -LOG_SUFFIX.length)
  return isConversationId(id) ? id : null
}

export function tornPath(logPath: string, n: number): string {
  return `${logPath.slice(0, -LOG_SUFFIX.length)}.torn-${n}`
}

/** YYYY, MM, DD. The first 48 bits of the id are ms since the epoch. */
export function dayOf(conversationId: string): [year: string, month: string, day: string] {
  const createdAt = new Date(createdAtMs(conversationId))
  const two = (n: number) => String(n).padStart(2, '0')
  const year = String(createdAt.getUTCFullYear()).padStart(4, '0')
  return [year, two(createdAt.getUTCMonth() + 1), two(createdAt.getUTCDate())]
}

export function createdAtMs(conversationId: string): number {
  return Number.parseInt(conversationId.slice(0, 8) + conversationId.slice(9, 13), 16)
}
