import { ConfigError } from '@parley/config'
import { LineTooLongError, StorageError } from '@parley/journal'
import { type ConversationId, type WireErrorCode, type WireErrorDetail, wireErrors } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { systemErrorReason } from '@parley/workspace'
import { RefusedEventError } from './refused-event.ts'
import { lineTooLongText, storageText } from './storage-words.ts'

/** Builds an error reply from the catalogue: `code` is the contract; the message says what, why and what next. */
export function rejection(code: WireErrorCode, message: string, detail: WireErrorDetail = {}): RpcError {
  return new RpcError(wireErrors[code], message, { ...detail, code })
}

/** Builds the rejection of one parameter of a request. */
export function invalidParam(field: string, message: string): RpcError {
  return rejection('invalidParams', message, { field })
}

/** Builds the rejection of an id without a conversation. */
export function noConversation(conversationId: ConversationId): RpcError {
  return rejection('conversationNotFound', `There is no conversation ${conversationId}.`)
}

/** Builds the rejection of a log without events, which a crash leaves before the first event. */
export function emptyLog(conversationId: ConversationId): RpcError {
  return rejection('conversationNotFound', `The log of conversation ${conversationId} holds no event.`)
}

/** Builds the error for a change by a read-only client. `change` completes "it …". */
export function notPermitted(change: string, next = 'Connect without `access: "readOnly"` to do that.'): RpcError {
  return rejection('notPermitted', `This client is connected read-only, and this ${change}. ${next}`)
}

/** Converts an error of the engine to the error a client gets. Unknown errors stay as they are and become `internal`. */
export function asRejection(error: unknown): unknown {
  if (error instanceof StorageError) {
    const text = storageText(error, 'Make room and send it again; nothing shown was lost.')
    return rejection('storageFailed', text, { errno: error.code })
  }
  if (error instanceof LineTooLongError) return rejection('invalidParams', lineTooLongText(error))
  if (error instanceof RefusedEventError) return rejection('invalidParams', error.message, { reason: error.code })
  if (error instanceof ConfigError) return configRejection(error)
  if (isFileError(error)) return fileRejection(error)
  return error
}

function configRejection({ message, where, cause }: ConfigError): RpcError {
  if (isFileError(cause)) return rejection('fileFailed', message, { path: cause.path, errno: cause.code })
  return rejection('configInvalid', message, { where })
}

interface FileError extends Error {
  readonly syscall: string
  readonly path: string
  readonly code: string
}

/** Tests if the system has refused a call on a file other than the log, such as a look at credentials. */
function isFileError(error: unknown): error is FileError {
  if (!(error instanceof Error) || !('errno' in error) || !('syscall' in error) || !('path' in error)) return false
  const { errno, syscall, path } = error
  // The error of a process that does not start has the path of its program.
  return typeof errno === 'number' && typeof path === 'string' && typeof syscall === 'string' && !/^spawn/.test(syscall)
}

function fileRejection(error: FileError): RpcError {
  const { path, code, syscall } = error
  const text = `${path} could not be used: ${systemErrorReason(error)} (${code}, ${syscall}). The conversation is not affected. Mend that and try again.`
  return rejection('fileFailed', text, { path, errno: code })
}
