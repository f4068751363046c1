import { type AccessSource, isSameHash, type LinkCode, readLinkCode } from '@parley/engine'
import { isConversationId } from '@parley/journal'
import {
  type Access,
  personMay,
  type Rights,
  type RightsOfToken,
  rightsToRead,
  type SharedLink,
} from '@parley/protocol'
import type { UsersFile } from './users-file.ts'
import type { User } from './users-text.ts'

/** Returns the rights of a user while the file has the user with the token that the client brought. */
export function rightsOfUser({ name, tokenHash }: User, users: Pick<UsersFile, 'find' | 'refresh'>): Rights {
  const current = () => {
    const found = users.find(name)
    return found?.tokenHash === tokenHash ? found : null
  }
  const person = { kind: 'user', name } as const
  return {
    person,
    permits: (right, { access }) => current() !== null && personMay(person, right, access),
    has(right) {
      const user = current()
      if (user === null || right === 'operator') return false
      return right !== 'admin' || user.role === 'admin'
    },
    get maxSandbox() {
      return current()?.maxSandbox ?? null
    },
    renew: users.refresh,
  }
}

/** Returns the rights that the code of a shared link gives: to read its conversation while the link counts. */
function rightsOfGuest({ conversationId, codeHash }: LinkCode, now: () => number): Rights {
  const counts = (access: Access | undefined) => linkOf(access, codeHash, now()) !== null
  return rightsToRead({ kind: 'guest', conversationId, codeHash }, counts)
}

/** Returns the link that a code belongs to; null for a wrong code or an expired link. */
function linkOf(access: Access | undefined, codeHash: string, now: number): SharedLink | null {
  const link = access?.links.find((each) => isSameHash(each.codeHash, codeHash))
  return link === undefined || now >= link.expiresAt ? null : link
}

/** Returns the check of tokens: rights of a user, or of a link by its code; null for one that is not valid. */
export function createRightsOfToken(users: UsersFile, source: AccessSource, now: () => number): RightsOfToken {
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
