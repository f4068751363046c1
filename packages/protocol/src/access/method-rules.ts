import type { MethodName } from '../schema/methods/methods.ts'
import type { ConversationRight } from './role-rights.ts'

/**
 * Effect of a method that other clients can notice. `look`: no effect. `change`: it records, sends, runs or takes
 * something. `join`: no effect when the conversation is open already and no setting changes, or when a view is
 * requested; else the same as `change`.
 */
type MethodAccess = 'look' | 'join' | 'change'

/**
 * Right that a method needs on a server with users. `read`, `answer`, `edit`, `own`: in the conversation that the
 * request names. `anyone`: guests with a link too; the method finds or lists only conversations that the caller may
 * read. `user`: any user. `copy`: a user who may read the conversation. `admin`: a user who manages users. `operator`:
 * the person that started the server, through its own stdin or socket.
 */
export type MethodRight = ConversationRight | 'anyone' | 'user' | 'copy' | 'admin' | 'operator'

interface MethodRule {
  readonly access: MethodAccess
  readonly right: MethodRight
}

/** Effect of every method, and the right that it needs; a new method without an entry does not compile. */
export const methodRules: Readonly<Record<MethodName, MethodRule>> = {
  initialize: { access: 'look', right: 'anyone' },
  'conversation/create': { access: 'change', right: 'user' },
  // The role decides if it is opened for writing.
  'conversation/resume': { access: 'join', right: 'anyone' },
  'conversation/stream': { access: 'look', right: 'read' },
  'conversation/unstream': { access: 'look', right: 'read' },
  'conversation/detach': { access: 'change', right: 'edit' },
  'conversation/sendMessage': { access: 'change', right: 'edit' },
  'conversation/inbox/edit': { access: 'change', right: 'edit' },
  'conversation/inbox/remove': { access: 'change', right: 'edit' },
  'conversation/interrupt': { access: 'change', right: 'edit' },
  'conversation/background': { access: 'change', right: 'edit' },
  'conversation/process/read': { access: 'look', right: 'read' },
  // It listens on the machine of the server.
  'conversation/forward': { access: 'change', right: 'operator' },
  'conversation/forward/stop': { access: 'change', right: 'edit' },
  'conversation/process/tellWhen': { access: 'change', right: 'edit' },
  'conversation/process/write': { access: 'change', right: 'edit' },
  'conversation/continue': { access: 'change', right: 'edit' },
  'conversation/retryNow': { access: 'change', right: 'edit' },
  'approval/decide': { access: 'change', right: 'answer' },
  'conversation/compact': { access: 'change', right: 'edit' },
  'conversation/compact/undo': { access: 'change', right: 'edit' },
  'conversation/context/leaveOut': { access: 'change', right: 'edit' },
  'conversation/rewind/plan': { access: 'look', right: 'edit' },
  'conversation/rewind': { access: 'change', right: 'edit' },
  'conversation/remember/plan': { access: 'look', right: 'edit' },
  'conversation/remember': { access: 'change', right: 'edit' },
  'conversation/fork': { access: 'change', right: 'copy' },
  'conversation/rescue': { access: 'change', right: 'operator' },
  'bundle/describe': { access: 'look', right: 'anyone' },
  'bundle/write': { access: 'change', right: 'operator' },
  'conversation/export': { access: 'look', right: 'anyone' },
  'replay/run': { access: 'change', right: 'operator' },
  'bundle/open': { access: 'change', right: 'operator' },
  'conversation/list': { access: 'look', right: 'anyone' },
  'conversation/search': { access: 'look', right: 'anyone' },
  'conversation/read': { access: 'look', right: 'read' },
  'conversation/turns': { access: 'look', right: 'read' },
  'conversation/readChange': { access: 'look', right: 'read' },
  'conversation/context': { access: 'look', right: 'read' },
  // It runs a program and reveals the content of the folder.
  'conversation/findFiles': { access: 'change', right: 'edit' },
  'conversation/readEvents': { access: 'look', right: 'read' },
  'conversation/readFile': { access: 'look', right: 'read' },
  'conversation/rename': { access: 'change', right: 'edit' },
  'conversation/archive': { access: 'change', right: 'edit' },
  'conversation/unarchive': { access: 'change', right: 'edit' },
  'conversation/delete': { access: 'change', right: 'own' },
  'conversation/configure': { access: 'change', right: 'edit' },
  // It runs outside any sandbox, as the account of the server.
  'conversation/runShell': { access: 'change', right: 'operator' },
  'conversation/share': { access: 'change', right: 'own' },
  'conversation/link/make': { access: 'change', right: 'own' },
  'conversation/link/revoke': { access: 'change', right: 'own' },
  'user/list': { access: 'look', right: 'admin' },
  'user/add': { access: 'change', right: 'admin' },
  'user/remove': { access: 'change', right: 'admin' },
  'user/token': { access: 'change', right: 'admin' },
  'usage/read': { access: 'look', right: 'user' },
  'model/list': { access: 'look', right: 'user' },
  'provider/list': { access: 'look', right: 'user' },
  'provider/check': { access: 'change', right: 'operator' },
  'config/read': { access: 'look', right: 'user' },
  'config/write': { access: 'change', right: 'operator' },
  'login/start': { access: 'change', right: 'operator' },
  'login/cancel': { access: 'change', right: 'operator' },
  'login/status': { access: 'look', right: 'operator' },
  logout: { access: 'change', right: 'operator' },
  'mcp/login': { access: 'change', right: 'operator' },
  'mcp/logout': { access: 'change', right: 'operator' },
  'mcp/list': { access: 'look', right: 'operator' },
  'mcp/restart': { access: 'change', right: 'operator' },
  'trust/read': { access: 'look', right: 'user' },
  'trust/decide': { access: 'change', right: 'user' },
  'hook/list': { access: 'look', right: 'operator' },
  'hook/try': { access: 'change', right: 'operator' },
  'skill/list': { access: 'look', right: 'user' },
  'environment/list': { access: 'look', right: 'user' },
  'web/open': { access: 'change', right: 'operator' },
  'server/diagnostics': { access: 'look', right: 'anyone' },
  'server/checkup': { access: 'look', right: 'operator' },
  'policy/test': { access: 'look', right: 'operator' },
  'policy/replay': { access: 'look', right: 'operator' },
  'policy/why': { access: 'look', right: 'operator' },
}

/** Methods that can exceed the limits of a conversation: forbidden for clients that may only tighten limits. */
export const looseningMethods: ReadonlySet<MethodName> = new Set([
  'conversation/forward',
  'conversation/runShell',
  'hook/try',
  'trust/decide',
  'web/open',
])

/**
 * Methods for clients on the machine of the server: credentials and links with a code do not travel, a browser opens on
 * the user's machine, and file paths belong to the user's machine.
 */
export const localMethods: ReadonlySet<MethodName> = new Set([
  'bundle/write',
  'replay/run',
  'bundle/open',
  'login/start',
  'login/cancel',
  'login/status',
  'logout',
  'mcp/login',
  'mcp/logout',
  'web/open',
])
