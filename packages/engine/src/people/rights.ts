import { type Access, type Person, personMay, type Rights, type SharedLink } from '@parley/protocol'
import { hashOf, isSameHash, type Users } from './users.ts'
import type { User } from './users-file.ts'

/** Returns the rights of a user while the file has the user with the token that the client brought. */
export function rightsOfUser({ name, tokenHash }: User, users: Pick<Users, 'find' | 'refresh'>): Rights {
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

interface Code {
  readonly conversationId: string
  readonly codeHash: string
}

/** Returns the rights of whoever has the code of a shared link: to read its conversation while the link counts. */
export function rightsOfGuest({ conversationId, codeHash }: Code, now: () => number): Rights {
  const counts = (access: Access | undefined) => linkOf(access, codeHash, now()) !== null
  return toReadOne({ kind: 'guest', conversationId, codeHash }, counts)
}

/** Returns the rights of a page whose link was made to watch one conversation: to read that, while its connection lasts. */
export function rightsOfWatcher(conversationId: string): Rights {
  return toReadOne({ kind: 'guest', conversationId }, () => true)
}

/** Returns the rights of a guest, for whom there is one conversation, while its access lets the guest in. */
function toReadOne(
  person: Extract<Person, { kind: 'guest' }>,
  letsIn: (access: Access | undefined) => boolean,
): Rights {
  return {
    person,
    permits: (right, { conversationId, access }) =>
      right === 'read' && conversationId === person.conversationId && letsIn(access),
    has: (right) => right === 'anyone',
    maxSandbox: null,
    renew: () => undefined,
  }
}

/** Returns the link that a code belongs to, if it has not expired; null for none. */
function linkOf(access: Access | undefined, codeHash: string, now: number): SharedLink | null {
  const link = access?.links.find((each) => isSameHash(each.codeHash, codeHash))
  return link === undefined || now >= link.expiresAt ? null : link
}

/** Returns the conversation and the hash of a link's code, which has the form ID.SECRET; null for anything else. */
export function readCode(code: string): Code | null {
  const [, conversationId] = /^([^.\s]{1,64})\.[\w-]{43}$/.exec(code) ?? []
  return conversationId === undefined ? null : { conversationId, codeHash: hashOf(code) }
}
