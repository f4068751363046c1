import type { Access, Person, Role } from '../schema/access.ts'
import type { MethodName } from '../schema/methods/methods.ts'

/** Right in a conversation, which a role has or lacks. */
export type ConversationRight = 'read' | 'answer' | 'edit' | 'own'

/**
 * Right that a method needs on a server with users. `read`, `answer`, `edit`, `own`: in the conversation that the
 * request names. `anyone`: guests with a link too; the method finds or lists only conversations that the caller may
 * read. `user`: any user. `copy`: a user who may read the conversation. `admin`: a user who manages users. `operator`:
 * the person that started the server, through its own stdin or socket.
 */
export type MethodRight = ConversationRight | 'anyone' | 'user' | 'copy' | 'admin' | 'operator'

/** Right that each method needs; a new one without an entry does not compile. */
export const methodRights: Readonly<Record<MethodName, MethodRight>> = {
  initialize: 'anyone',
  'conversation/create': 'user',
  // The role decides if it is opened for writing.
  'conversation/resume': 'anyone',
  'conversation/stream': 'read',
  'conversation/unstream': 'read',
  'conversation/detach': 'edit',
  'conversation/sendMessage': 'edit',
  'conversation/inbox/edit': 'edit',
  'conversation/inbox/remove': 'edit',
  'conversation/interrupt': 'edit',
  'conversation/background': 'edit',
  'conversation/continue': 'edit',
  'conversation/retryNow': 'edit',
  'approval/decide': 'answer',
  'conversation/compact': 'edit',
  'conversation/compact/undo': 'edit',
  'conversation/context/leaveOut': 'edit',
  'conversation/rewind/plan': 'edit',
  'conversation/rewind': 'edit',
  'conversation/remember/plan': 'edit',
  'conversation/remember': 'edit',
  'conversation/fork': 'copy',
  'conversation/rescue': 'operator',
  'bundle/describe': 'anyone',
  'bundle/write': 'operator',
  'conversation/export': 'anyone',
  'replay/run': 'operator',
  'bundle/open': 'operator',
  'conversation/list': 'anyone',
  'conversation/search': 'anyone',
  'conversation/read': 'read',
  'conversation/turns': 'read',
  'conversation/readChange': 'read',
  'conversation/context': 'read',
  'conversation/findFiles': 'edit',
  'conversation/readEvents': 'read',
  'conversation/readFile': 'read',
  'conversation/process/read': 'read',
  'conversation/process/tellWhen': 'edit',
  'conversation/process/write': 'edit',
  'conversation/rename': 'edit',
  'conversation/archive': 'edit',
  'conversation/unarchive': 'edit',
  'conversation/delete': 'own',
  'conversation/configure': 'edit',
  // It runs outside any sandbox, as the account of the server.
  'conversation/runShell': 'operator',
  // It listens on the machine of the server.
  'conversation/forward': 'operator',
  'conversation/forward/stop': 'edit',
  'conversation/share': 'own',
  'conversation/link/make': 'own',
  'conversation/link/revoke': 'own',
  'user/list': 'admin',
  'user/add': 'admin',
  'user/remove': 'admin',
  'user/token': 'admin',
  'usage/read': 'user',
  'model/list': 'user',
  'provider/list': 'user',
  'provider/check': 'operator',
  'config/read': 'user',
  'config/write': 'operator',
  'login/start': 'operator',
  'login/cancel': 'operator',
  'login/status': 'operator',
  logout: 'operator',
  'mcp/login': 'operator',
  'mcp/logout': 'operator',
  'mcp/list': 'operator',
  'mcp/restart': 'operator',
  'trust/read': 'user',
  'trust/decide': 'user',
  'hook/list': 'operator',
  'hook/try': 'operator',
  'skill/list': 'user',
  'environment/list': 'user',
  'web/open': 'operator',
  'server/diagnostics': 'anyone',
  'server/checkup': 'operator',
  'policy/test': 'operator',
  'policy/replay': 'operator',
  'policy/why': 'operator',
}

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
