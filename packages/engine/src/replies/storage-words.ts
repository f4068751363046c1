import {
  type LineTooLongError,
  LOG_CHANGED,
  LOG_DELETED,
  LOG_FOREIGN,
  LOG_LINKED,
  LOG_MOVED,
  LOG_REPLACED,
  MAX_WRITTEN_LINE_BYTES,
  STORE_FULL,
  STORE_GONE,
  STORE_LOST,
  STORE_OLDER,
  STORE_PARTED,
  STORE_SLOW,
  STORE_TAKEN,
  type StorageError,
  troubleOf,
} from '@parley/journal'
import type { Failure } from '@parley/protocol'
import { formatBytes } from '@parley/workspace'

/** Describes a failed write that no request waits for, since a turn retries by itself. */
export function storageNotice(error: StorageError): { readonly message: string; readonly errno: string } {
  return { message: storageText(error, 'Nothing shown was lost.'), errno: error.code }
}

/** Notice that storage trouble has passed. */
export const storageRestored = {
  level: 'info',
  code: 'storageRestored',
  message: 'The conversation is saved again; nothing was lost.',
} as const

/** Returns what happened to a write and what to do; `whenFull` follows the sentence about a full disk. */
export function storageText(error: StorageError, whenFull: string): string {
  return (
    lostLogText(error) ??
    unreadText(error) ??
    `The conversation could not be saved (${faultText(error)}). ${hintFor(error, whenFull)}`
  )
}

/** Causes by error code, as they stand behind the path. */
const causes: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'read-only file system',
  ENOLCK: 'its file system has no locks',
  ETIMEDOUT: 'the disk does not answer',
  [STORE_SLOW]: 'the store does not answer',
  [STORE_GONE]: 'the store cannot be reached',
}

/** Consequences of a store that does not answer, by the operation that failed; writing has sentences of its own. */
const unread: Readonly<Record<string, string>> = {
  read: 'what it has cannot be read',
  list: 'what it has cannot be listed',
  'open a conversation of': 'no conversation of it can be opened',
}

/** Returns the sentence for a store that was only to be read; null for any other failure. */
function unreadText({ code, operation, path }: StorageError): string | null {
  const what = unread[operation]
  if (what === undefined || (code !== STORE_SLOW && code !== STORE_GONE)) return null
  const fault = code === STORE_SLOW ? 'does not answer' : 'cannot be reached'
  return `The store ${path} ${fault}, so ${what} now. Nothing is lost: try again once it answers.`
}

/** Names the failed operation, its file or store, and the cause. */
export function faultText({ code, operation, path, message }: StorageError): string {
  const fault = `cannot ${operation === 'lock' ? 'lock' : 'write to'} ${path}`
  if (troubleOf(code) === 'full') return fault
  const cause = causes[code]
  return cause === undefined ? message : `${fault}: ${cause}`
}

const stops = 'The conversation stops here so that nothing unsaved is shown.'

const resume = 'Once the disk works, leave it everywhere and resume it.'

const rescue = 'Fork it (/fork) to go on in a new log with what memory holds'

const fullHints: Record<string, string> = {
  EDQUOT: 'The disk quota is used up.',
  EFBIG: 'The file may not grow: the limit of this process (ulimit -f) or of the disk is reached.',
  ENOSPC: 'The disk is full.',
  [STORE_FULL]: 'The store has no room.',
}
const otherHints: Record<string, string> = {
  EACCES: 'Check the owner of $PARLEY_HOME.',
  EPERM: 'Check the owner of $PARLEY_HOME.',
  EROFS: 'Mount it writable, or set PARLEY_HOME to another folder.',
  ENOLCK: 'Set PARLEY_HOME to a folder on a local disk.',
  [STORE_SLOW]: 'It is tried again until the store answers.',
  [STORE_GONE]: 'It is tried again until the store can be reached.',
}

/** Returns what to do: a failure that is final stops the conversation, whatever its cause was. */
function hintFor({ code, retryable }: StorageError, whenFull: string): string {
  const isFull = troubleOf(code) === 'full'
  const hint = isFull ? (fullHints[code] ?? 'There is no room.') : otherHints[code]
  const passing = isFull ? whenFull : hint === undefined ? 'It is tried again until the disk takes it.' : null
  return [hint, retryable ? passing : `${stops} ${resume}`].filter((text) => typeof text === 'string').join(' ')
}

/** Says that nothing was recorded, the limit, and what to do instead. */
export function lineTooLongText({ sizeBytes }: LineTooLongError): string {
  return `This is too large to be kept: it would take ${formatBytes(sizeBytes)} in the conversation's log, where one event may have ${formatBytes(MAX_WRITTEN_LINE_BYTES)}. Nothing of it was recorded. Put large content into a file and name that.`
}

/** Builds the failure of a turn with an event that is too large for the log. */
export function lineTooLongFailure(error: LineTooLongError): Failure {
  return { code: 'eventTooLarge', message: lineTooLongText(error) }
}

/** Sentences for logs that other programs changed, by error code. */
const sentences: Readonly<Record<string, (path: string) => string>> = {
  [LOG_MOVED]: (path) =>
    `The log ${path} was moved away while it was open. ${stops} Put it back; if it does not go on then, leave it and resume it.`,
  [LOG_FOREIGN]: (path) =>
    `The file ${path} belongs to another user, who could have written anything into it, so it is not used. Make it yours (chown) if you know what it holds.`,
  [LOG_LINKED]: (path) =>
    `The file ${path} does not begin as a log and has a second name (hard link), so it may be a file of something else. It was left as it is; copy it to a file of its own if it is yours.`,
  [LOG_DELETED]: (path) =>
    `The log ${path} was deleted while it was open. ${stops} ${rescue}, or restore the file and resume it.`,
  [LOG_REPLACED]: (path) =>
    `Another file was put in the place of the log ${path} while it was open. ${stops} ${rescue}, or leave it, put the right file there and resume it.`,
  [LOG_CHANGED]: (path) =>
    `Another program wrote to the log ${path} or cut it while it was open. ${stops} ${rescue}, or leave the conversation everywhere and resume it: it goes on from what the log holds.`,
}

/** Sentences for conversations that a store does not have as it had them, by error code. */
const storeSentences: Readonly<Record<string, (store: string) => string>> = {
  [STORE_TAKEN]: (store) =>
    `Another server of the store ${store} has taken this conversation over, so it stops here. Resume it: it goes on there.`,
  [STORE_LOST]: (store) =>
    `The store ${store} has less of this conversation than it had acknowledged. ${stops} Leave it everywhere, then put back what this machine has of it with \`parley store copy --to ${store}\` and its id. Or bring the store back from a backup, or view the conversation here and fork it.`,
  [STORE_OLDER]: (store) =>
    `The store ${store} has an older decision about this project than this server has seen there, or none any more, so none is taken: somebody has put it back, or the store was brought back from a backup. Find out who writes to it. Then remove $PARLEY_HOME/trust/seen of this server and decide again with \`parley trust\`.`,
  [STORE_PARTED]: (store) =>
    `This machine has a log of this conversation that is not what the store ${store} has, so it is not opened. \`parley store verify\` says where they part; \`parley store copy --to\` brings over what the store lacks.`,
}

/** Returns the sentence for a log or a store that others changed; null for any other failure. */
function lostLogText({ code, path }: StorageError): string | null {
  return (sentences[code] ?? storeSentences[code])?.(path) ?? null
}
