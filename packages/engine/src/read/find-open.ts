import {
  type Files,
  findId,
  idOfOwnerName,
  isConversationId,
  isRunning,
  newestDays,
  readOwner,
  sessionPaths,
} from '@parley/journal'
import type { ConversationId } from '@parley/protocol'

/** Days looked at, the newest; an open conversation of an earlier one is found by its whole id. */
const days = 30

/** Finds a conversation that a server has open by a part of its id, even without a log; null unless one matches. */
export function findOpen(files: Files, home: string, text: string): ConversationId | null {
  if (isConversationId(text)) return isOpenSomewhere(files, home, text) ? text : null
  const ids = newestDays(files, home, days).flatMap((folder) =>
    files.list(folder).flatMap((name) => {
      const id = idOfOwnerName(name)
      return id !== null && isOpenSomewhere(files, home, id) ? [id] : []
    }),
  )
  const found = findId(ids, text)
  return found.kind === 'one' ? found.id : null
}

/** Tells if a running process has a conversation open, whatever became of its log. */
function isOpenSomewhere(files: Files, home: string, conversationId: ConversationId): boolean {
  const paths = isConversationId(conversationId) ? sessionPaths(home, conversationId) : null
  const owner = paths === null ? null : readOwner(files, paths.owner)
  return owner !== null && isRunning(owner)
}
