import { ConfigError } from '@parley/config'
import { LineTooLongError, StorageError, troubleOf } from '@parley/journal'
import { lineTooLongText } from './line-too-long.ts'
import { lostLogText } from './lost-log.ts'
import { rejection } from './refusal.ts'

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
  if (error instanceof LineTooLongError) return rejection('invalidParams', lineTooLongText(error))
  if (error instanceof ConfigError) return rejection('configInvalid', error.message, { where: error.where })
  return error
}
