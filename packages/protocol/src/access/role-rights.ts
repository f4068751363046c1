import type { Access, Person, Role } from '../schema/access.ts'
import type { MethodName } from '../schema/methods/methods.ts'

/** Right in a conversation, which a role has or lacks. */
export type ConversationRight = 'read' | 'answer' | 'edit' | 'own'

/** Methods after which the model, or the server for it, acts within the limits of a conversation. `compact` runs hooks. */
export const actingMethods: ReadonlySet<MethodName> = new Set([
  'conversation/sendMessage',
  'conversation/inbox/edit',
  'conversation/continue',
  'conversation/retryNow',
  'conversation/rewind',
  'conversation/remember',
  'conversation/process/write',
  'conversation/compact',
  'conversation/context/leaveOut',
])

/** Methods that let a user change files of the workspace without a question. */
export const writingMethods: ReadonlySet<MethodName> = new Set(['conversation/rewind', 'conversation/remember'])

/**
 * Methods that reach the machine on which a conversation works, or set up its next turn there. The other methods of an
 * editor only stop something, or concern the conversation alone.
 */
export const machineMethods: ReadonlySet<MethodName> = new Set([
  ...actingMethods,
  'approval/decide',
  'conversation/configure',
  'conversation/findFiles',
  'conversation/remember/plan',
  'conversation/rewind/plan',
])

const rightsOfRole: Readonly<Record<Role, ReadonlySet<ConversationRight>>> = {
  reader: new Set(['read']),
  approver: new Set(['read', 'answer']),
  editor: new Set(['read', 'answer', 'edit']),
  owner: new Set(['read', 'answer', 'edit', 'own']),
}

export function roleHas(role: Role, right: ConversationRight): boolean {
  return rightsOfRole[role].has(right)
}

/** Returns the role of a user in a conversation; null without a role. */
export function roleOf(access: Access | undefined, user: string): Role | null {
  return access?.members.find((member) => member.user === user)?.role ?? null
}

/** Returns the owners of a conversation; empty for a conversation without users. */
export function ownersOf(access: Access | undefined): readonly string[] {
  return access?.members.flatMap(({ user, role }) => (role === 'owner' ? [user] : [])) ?? []
}

/** Tells if a client may do something in a conversation, as far as its access says; without a person it may do all. */
export function personMay(person: Person | undefined, right: ConversationRight, access: Access | undefined): boolean {
  if (person === undefined) return true
  if (person.kind === 'guest') return right === 'read'
  const role = roleOf(access, person.name)
  return role !== null && roleHas(role, right)
}
