import type { SandboxMode } from '../modes/setting-names.ts'
import type { Access, Person } from '../schema/access.ts'
import type { MethodRight } from './method-rules.ts'
import type { ConversationRight } from './role-rights.ts'

/** Conversation that a right is about; without `access` no server with users has had it. */
export interface Accessed {
  readonly conversationId: string
  readonly access?: Access | undefined
}

/** Rights of a client. They follow the users file while the client is connected. */
export interface Rights {
  /** Person that it acts for; the operator is whoever started the server, and may do everything. */
  readonly person: Person | { readonly kind: 'operator' }
  /** Tells if the client may do this in a conversation, as far as its access says. */
  permits(right: ConversationRight, conversation: Accessed): boolean
  /** Tells if the client has a right that depends on no conversation. */
  has(right: Exclude<MethodRight, ConversationRight>): boolean
  /** Most that conversations may be set to that the client uses; null for what the server allows. */
  readonly maxSandbox: SandboxMode | null
  /** Looks at the users now: called with each request. */
  renew(): void
}

/** Rights of a client of a server without users, and of whoever started a server. */
export const allRights: Rights = {
  person: { kind: 'operator' },
  permits: () => true,
  has: () => true,
  maxSandbox: null,
  renew: () => undefined,
}

/** Returns the rights of a guest, for whom there is one conversation, while its access lets the guest in. */
export function rightsToRead(
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

/** Tells if a client may have something done on the machine of a conversation; only users are kept from it. */
export function mayUseMachine({ person }: Rights, mayWork: (user: string) => boolean): boolean {
  return person.kind !== 'user' || mayWork(person.name)
}

/** Returns the access of a conversation that a client makes: its user owns it. Undefined where the server knows no users. */
export function accessOfNew({ person }: Rights): Access | undefined {
  return person.kind === 'user' ? { members: [{ user: person.name, role: 'owner' }], links: [] } : undefined
}

/** Returns the rights that a token gives, of a user or the code of a link; null for one that is not valid. */
export type RightsOfToken = (token: string) => Rights | null | Promise<Rights | null>
