import { deleteSession, type Files, type SessionPaths, StorageError, UnfinishedDeletionError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import { rejection } from '../replies/rejection.ts'
import { faultText } from '../replies/storage-words.ts'

interface Deletion {
  readonly paths: SessionPaths
  readonly conversationId: ConversationId
  /** Closes the conversation. */
  readonly end: () => Promise<void>
  /** Removes the conversation from the store that servers share; null where the store does not have it. */
  readonly removeShared: ((conversationId: ConversationId) => Promise<void>) | null
}

/** Deletes a conversation; the caller holds its lock. Rejects with `storageFailed`. */
export async function deleteStored(
  files: Files,
  { paths, conversationId, end, removeShared }: Deletion,
): Promise<void> {
  try {
    await end()
  } catch (error) {
    // A failed save does not matter: the log is deleted next.
    if (!(error instanceof StorageError)) throw error
  }
  let left: UnfinishedDeletionError | null = null
  try {
    await removeShared?.(conversationId).catch((error: unknown) => {
      if (!(error instanceof UnfinishedDeletionError)) throw error
      left = error
    })
    await deleteSession(files, paths)
  } catch (error) {
    throw notDeleted(error)
  }
  if (left !== null) throw leftInStore(left)
}

/** Builds the rejection of a deletion that holds, while the store has failed to remove all. */
function leftInStore({ cause }: UnfinishedDeletionError) {
  const text = `The conversation is deleted, but not all of it could be removed from the store (${faultText(cause)}). A server of the store goes on with that by itself.`
  return rejection('storageFailed', text, { errno: cause.code })
}

/** Builds the rejection of a deletion that failed, before or after the conversation was gone from every list. */
function notDeleted(error: unknown): unknown {
  if (error instanceof UnfinishedDeletionError)
    return rejection(
      'storageFailed',
      `The conversation is deleted, but not all of its files could be removed (${error.cause.message}). They are removed at the next start of parley.`,
      { errno: error.cause.code },
    )
  if (error instanceof StorageError)
    return rejection(
      'storageFailed',
      `The conversation was not deleted (${faultText(error)}); it is there as before.`,
      {
        errno: error.code,
      },
    )
  return error
}
