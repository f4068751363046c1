import { type AccessSource, readLinkCode } from '@parley/engine'
import { isConversationId } from '@parley/journal'
import type { Rights, RightsOfToken } from '@parley/protocol'
import { rightsOfGuest, rightsOfUser } from './rights.ts'
import type { UsersFile } from './users-file.ts'

interface TokenPorts {
  readonly users: UsersFile
  readonly source: AccessSource
  readonly now: () => number
}

/** Returns the check of tokens: rights of a user, or of a link by its code; null for one that is not valid. */
export function createRightsOfToken({ users, source, now }: TokenPorts): RightsOfToken {
  async function rightsOfCode(code: string): Promise<Rights | null> {
    const read = readLinkCode(code)
    if (read === null || !isConversationId(read.conversationId)) return null
    const rights = rightsOfGuest(read, now)
    const { conversationId } = read
    const reached = source.openAccess(conversationId) ?? (await source.storedAccess(conversationId))
    return rights.permits('read', { conversationId, access: reached?.access }) ? rights : null
  }

  return (token) => {
    const user = users.byToken(token)
    return user === null ? rightsOfCode(token) : rightsOfUser(user, users)
  }
}
