import { ConfigError } from '@parley/config'
import {
  LineTooLong,
  LOG_CHANGED,
  LOG_DELETED,
  LOG_MOVED,
  LOG_REPLACED,
  MAX_WRITTEN_LINE_BYTES,
  StorageError,
  troubleOf,
} from '@parley/journal'
import { type Failure, type WireErrorCode, type WireErrorDetail, wireErrors } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { formatBytes } from '@parley/workspace'

/** An error reply from the catalogue: `code` is the contract, the message says what, why and what next. */
export function rejection(code: WireErrorCode, message: string, detail: WireErrorDetail = {}): RpcError {
  return new RpcError(wireErrors[code], message, { ...detail, code })
}

/** What a read-only client is told that asks for a change. `change` completes "it …". */
export function notPermitted(change: string, next = 'Connect without `access: "readOnly"` to do that.'): RpcError {
  return rejection('notPermitted', `This client is connected read-only, and this ${change}. ${next}`)
}

const fullHints: Record<string, string> = {
  EDQUOT: 'The disk quota is used up.',
  ENOSPC: 'The disk is full.',
}
const otherHints: Record<string, string> = {
  EACCES: 'There is no permission to write there. Check the owner of $PARLEY_HOME.',
  EPERM: 'There is no permission to write there. Check the owner of $PARLEY_HOME.',
  EROFS: 'The file system is read-only.',
}

function hintFor(code: string): string {
  const full = troubleOf(code) === 'full'
  if (full) return `${fullHints[code] ?? 'There is no room.'} Make room and send it again; nothing shown was lost.`
  return otherHints[code] ?? 'The conversation stops here so that nothing unsaved is shown.'
}

/** The same of a write that nobody waits for: a turn tries on by itself, and a client says what that means for it. */
export function storageNotice(error: StorageError): { readonly message: string; readonly errno: string } {
  const { code } = error
  const full = troubleOf(code) === 'full' ? `${fullHints[code] ?? 'There is no room.'} Nothing shown was lost.` : null
  const message =
    lostLogText(error) ?? `The conversation could not be saved (${error.message}). ${full ?? hintFor(code)}`
  return { message, errno: code }
}

/** What the engine throws, as the error a client gets; anything unknown stays what it is and becomes `internal`. */
export function asRejection(error: unknown): unknown {
  if (error instanceof StorageError) {
    const lost = lostLogText(error)
    if (lost !== null) return rejection('storageFailed', lost, { errno: error.code })
    return rejection(
      'storageFailed',
      `The conversation could not be saved (${error.message}). ${hintFor(error.code)}`,
      {
        errno: error.code,
      },
    )
  }
  if (error instanceof LineTooLong) return rejection('invalidParams', lineTooLongText(error))
  if (error instanceof ConfigError) return rejection('configInvalid', error.message, { where: error.where })
  return error
}

/** Says that nothing was recorded, what the limit is and what to do instead. */
function lineTooLongText({ sizeBytes }: LineTooLong): string {
  return `This is too large to be kept: it would take ${formatBytes(sizeBytes)} in the conversation's log, where one event may have ${formatBytes(MAX_WRITTEN_LINE_BYTES)}. Nothing of it was recorded. Put large content into a file and name that.`
}

/** Ends the turn in which something came up that the log cannot hold. */
export function lineTooLongFailure(error: LineTooLong): Failure {
  return { code: 'eventTooLarge', message: lineTooLongText(error) }
}

const stops = 'The conversation stops here so that nothing unsaved is shown.'

/** By the log's own codes: what others did to it, what that means, and what to do. */
const sentences: Readonly<Record<string, (path: string) => string>> = {
  [LOG_MOVED]: (path) =>
    `The log ${path} was moved away while it was open. ${stops} Put it back; if it does not go on then, leave it and resume it.`,
  [LOG_DELETED]: (path) =>
    `The log ${path} was deleted while it was open. ${stops} Restore the file and resume the conversation, or begin a new one.`,
  [LOG_REPLACED]: (path) =>
    `Another file was put in the place of the log ${path} while it was open. ${stops} Leave the conversation, put the right file there and resume it.`,
  [LOG_CHANGED]: (path) =>
    `Another program wrote to the log ${path} or cut it while it was open. ${stops} Leave the conversation everywhere and resume it: it goes on from what the log holds.`,
}

/** The sentence for a log that others changed; null for any other failure. */
function lostLogText({ code, path }: StorageError): string | null {
  return sentences[code]?.(path) ?? null
}
