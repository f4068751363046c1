import { basename, join, sep } from 'node:path'
import type { ConversationId } from '@parley/protocol'
import { foldersUpTo } from './file-io.ts'
import { type FolderEntries, hasCode } from './files.ts'

/** Paths of one conversation's files. */
export interface SessionPaths {
  readonly folder: string
  /** `folder` and its parents up to the home: they are synced once, so that a loss of power leaves their names. */
  readonly folders: readonly string[]
  readonly log: string
  /** Only `Files.lock` may open this file. */
  readonly lock: string
  readonly owner: string
  readonly sideFiles: string
  /** Cache of the folded log. */
  readonly checkpoint: string
  /** Mark up to which a shared store has acknowledged the log; only where there is a store. */
  readonly acked: string
  /** Name of the log of a deleted conversation until the rest of its files are removed. */
  readonly deleted: string
  /** Folder that sandboxed commands get as /tmp while the conversation is open. */
  readonly scratch: string
  /** Folder of the contents that files had before they were changed, for all conversations of a home. */
  readonly snapshots: string
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const LOG_SUFFIX = '.jsonl'
const OWNER_SUFFIX = '.owner.json'

export function isConversationId(text: string): boolean {
  return UUID_V7.test(text)
}

export function sessionsFolder(home: string): string {
  return join(home, 'sessions')
}

/** Folder of deleted logs; it is no year, so that nothing lists them. */
export function deletedFolder(home: string): string {
  return join(sessionsFolder(home), 'deleted')
}

export function scratchFolder(home: string): string {
  return join(home, 'scratch')
}

/** Returns the paths of a conversation, by the UTC day in its id. Null unless the id is a UUIDv7. */
export function sessionPaths(home: string, conversationId: ConversationId): SessionPaths | null {
  if (!isConversationId(conversationId)) return null
  const { folder, folders, deleted, scratch, snapshots } = dayFoldersOf(home, conversationId)
  const stem = `${folder}${sep}${conversationId}`
  return {
    ...{ folder, folders, snapshots },
    log: `${stem}${LOG_SUFFIX}`,
    lock: `${stem}.lock`,
    owner: `${stem}${OWNER_SUFFIX}`,
    sideFiles: `${stem}.files`,
    checkpoint: `${stem}.checkpoint`,
    acked: `${stem}.acked`,
    deleted: `${deleted}${sep}${conversationId}${LOG_SUFFIX}`,
    scratch: `${scratch}${sep}${conversationId}`,
  }
}

interface DayFolders extends Pick<SessionPaths, 'folder' | 'folders' | 'snapshots'> {
  readonly home: string
  readonly day: number
  readonly deleted: string
  readonly scratch: string
}

let newest: DayFolders | null = null

/** Returns the folders for the day of an id. Keeps the latest: opening a conversation needs its paths ten times. */
function dayFoldersOf(home: string, conversationId: ConversationId): DayFolders {
  const day = Math.floor(createdAtMs(conversationId) / DAY_MS)
  if (newest?.home === home && newest.day === day) return newest
  const folder = join(sessionsFolder(home), ...dayOf(conversationId))
  newest = {
    ...{ home, day, folder },
    folders: foldersUpTo(folder, home),
    deleted: deletedFolder(home),
    scratch: scratchFolder(home),
    snapshots: join(home, 'snapshots'),
  }
  return newest
}

/** Returns the name of a log without its ending, also when that is no id. */
export function conversationIdOf(logPath: string): string {
  return basename(logPath, LOG_SUFFIX)
}

/** Returns the id of a log by its file name; null for other files. */
export function idOfLogName(name: string): string | null {
  if (!name.endsWith(LOG_SUFFIX)) return null
  const id = name.slice(0, -LOG_SUFFIX.length)
  return isConversationId(id) ? id : null
}

/** Returns the id of the file that names the process of a conversation; null for other files. */
export function idOfOwnerName(name: string): string | null {
  const id = name.endsWith(OWNER_SUFFIX) ? name.slice(0, -OWNER_SUFFIX.length) : ''
  return isConversationId(id) ? id : null
}

export function tornPath(logPath: string, n: number): string {
  return `${logPath.slice(0, -LOG_SUFFIX.length)}.torn-${n}`
}

/** Returns YYYY, MM and DD of an id: its first 48 bits are ms since the epoch. */
export function dayOf(conversationId: ConversationId): [year: string, month: string, day: string] {
  const createdAt = new Date(createdAtMs(conversationId))
  const two = (n: number) => String(n).padStart(2, '0')
  const year = String(createdAt.getUTCFullYear()).padStart(4, '0')
  return [year, two(createdAt.getUTCMonth() + 1), two(createdAt.getUTCDate())]
}

function createdAtMs(conversationId: ConversationId): number {
  return Number.parseInt(conversationId.slice(0, 8) + conversationId.slice(9, 13), 16)
}

export interface SessionFile {
  readonly id: string
  readonly path: string
}

const DAY_MS = 86_400_000
const YEAR = /^\d{4,}$/
const TWO_DIGITS = /^\d\d$/

/** Lists all logs by name, opening no file. Leaves out logs in another folder than that of their id's day. */
export function walkSessions(files: FolderEntries, home: string): readonly SessionFile[] {
  return daysOf(files, home).flatMap((day) => logsOf(files, sessionsFolder(home), day))
}

/** Lists the folders of the newest days, which new conversations were made in. */
export function newestDays(files: FolderEntries, home: string, count: number): readonly string[] {
  return daysOf(files, home)
    .map((day) => join(...day))
    .sort()
    .slice(-count)
    .map((day) => join(sessionsFolder(home), day))
}

type Day = readonly [year: string, month: string, day: string]

function daysOf(files: FolderEntries, home: string): readonly Day[] {
  const root = sessionsFolder(home)
  return named(files, root, YEAR).flatMap((year) =>
    named(files, join(root, year), TWO_DIGITS).flatMap((month) =>
      named(files, join(root, year, month), TWO_DIGITS).map((day): Day => [year, month, day]),
    ),
  )
}

function logsOf(files: FolderEntries, root: string, day: Day): readonly SessionFile[] {
  const folder = join(root, ...day)
  const [year, month, date] = day.map(Number)
  const from = Date.UTC(year ?? 0, (month ?? 0) - 1, date)
  return namesIn(files, folder).flatMap((name) => {
    const id = idOfLogName(name)
    if (id === null) return []
    const sinceMs = createdAtMs(id) - from
    return sinceMs >= 0 && sinceMs < DAY_MS ? [{ id, path: `${folder}${sep}${name}` }] : []
  })
}

function named(files: FolderEntries, path: string, pattern: RegExp): readonly string[] {
  return namesIn(files, path).filter((name) => pattern.test(name))
}

/** Lists the names in a folder; an empty list for a missing folder. */
export function namesIn(files: FolderEntries, path: string): readonly string[] {
  try {
    return files.list(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
