import type { Files } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { Connected } from './connection/connect-store.ts'
import type { Prepared } from './connection/prepare-store.ts'
import type { FetchPorts } from './log/fetch-log.ts'
import { logSubject } from './log/log-subject.ts'
import { objectsOf } from './log/objects.ts'
import { createRecentContents } from './log/recent-contents.ts'

/** Returns the function that gives access to the log of a conversation in a store. */
export function createLogPorts(
  connected: Connected,
  { id: store, objects }: Prepared,
  files: Files,
): (conversationId: ConversationId) => FetchPorts {
  const { name, admin } = connected
  const recent = createRecentContents()
  return (conversationId) => ({
    subject: logSubject(connected, conversationId),
    objects: objectsOf(objects, admin, conversationId),
    ...{ files, recent, store, name },
  })
}
