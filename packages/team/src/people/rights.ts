import { isSameHash, type LinkCode } from '@parley/engine'
import { type Access, personMay, type Rights, rightsToRead, type SharedLink } from '@parley/protocol'
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
export function rightsOfGuest({ conversationId, codeHash }: LinkCode, now: () => number): Rights {
  const counts = (access: Access | undefined) => linkOf(access, codeHash, now()) !== null
  return rightsToRead({ kind: 'guest', conversationId, codeHash }, counts)
}

/** Returns the link that a code belongs to; null for a wrong code or an expired link. */
function linkOf(access: Access | undefined, codeHash: string, now: number): SharedLink | null {
  const link = access?.links.find((each) => isSameHash(each.codeHash, codeHash))
  return link === undefined || now >= link.expiresAt ? null : link
}
