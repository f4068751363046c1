import { ConfigProblem } from '../config/config-problem.ts'
import { StorageError } from '../log/storage-error.ts'
import { lostLogText } from './lost-log.ts'
import { refusal } from './refusal.ts'

const storageHints: Record<string, string> = {
  ENOSPC: 'The disk is full. Make room and send it again; nothing shown was lost.',
  EDQUOT: 'The disk quota is used up. Make room and send it again; nothing shown was lost.',
  EACCES: 'There is no permission to write there. Check the owner of $PARLEY_HOME.',
  EPERM: 'There is no permission to write there. Check the owner of $PARLEY_HOME.',
  EROFS: 'The file system is read-only.',
}

/** What the engine throws, as the error a client gets; anything unknown stays what it is and becomes `internal`. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof StorageError) {
    const lost = lostLogText(error)
    if (lost !== null) return refusal('storageFailed', lost, { errno: error.code })
    const hint = storageHints[error.code] ?? 'The conversation stops here so that nothing unsaved is shown.'
    return refusal('storageFailed', `The conversation could not be saved (${error.message}). ${hint}`, {
      errno: error.code,
    })
  }
  if (error instanceof ConfigProblem) return refusal('configInvalid', error.message, { where: error.where })
  return error
}
