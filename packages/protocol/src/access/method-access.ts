import type { MethodName } from '../schema/methods/methods.ts'

/**
 * Effect of a method that other clients can notice. `look`: no effect. `change`: it records, sends, runs or takes
 * something. `join`: no effect when the conversation is open already and no setting changes, or when a view is
 * requested; else the same as `change`.
 */
export type MethodAccess = 'look' | 'join' | 'change'

/** Effect of every method; a new one without an entry does not compile. */
export const methodAccess: Readonly<Record<MethodName, MethodAccess>> = {
  initialize: 'look',
  'conversation/create': 'change',
  'conversation/resume': 'join',
  'conversation/stream': 'look',
  'conversation/unstream': 'look',
  'conversation/detach': 'change',
  'conversation/sendMessage': 'change',
  'conversation/inbox/edit': 'change',
  'conversation/inbox/remove': 'change',
  'conversation/interrupt': 'change',
  'conversation/background': 'change',
  'conversation/process/read': 'look',
  'conversation/forward': 'change',
  'conversation/forward/stop': 'change',
  'conversation/process/tellWhen': 'change',
  'conversation/process/write': 'change',
  'conversation/continue': 'change',
  'conversation/retryNow': 'change',
  'approval/decide': 'change',
  'conversation/compact': 'change',
  'conversation/compact/undo': 'change',
  'conversation/context/leaveOut': 'change',
  'conversation/rewind/plan': 'look',
  'conversation/rewind': 'change',
  'conversation/remember/plan': 'look',
  'conversation/remember': 'change',
  'conversation/fork': 'change',
  'conversation/rescue': 'change',
  'bundle/describe': 'look',
  'bundle/write': 'change',
  'conversation/export': 'look',
  'replay/run': 'change',
  'bundle/open': 'change',
  'conversation/list': 'look',
  'conversation/search': 'look',
  'conversation/read': 'look',
  'conversation/turns': 'look',
  'conversation/readChange': 'look',
  'conversation/context': 'look',
  // It runs a program and reveals the content of the folder.
  'conversation/findFiles': 'change',
  'conversation/readEvents': 'look',
  'conversation/readFile': 'look',
  'conversation/rename': 'change',
  'conversation/archive': 'change',
  'conversation/unarchive': 'change',
  'conversation/delete': 'change',
  'conversation/configure': 'change',
  'conversation/runShell': 'change',
  'conversation/share': 'change',
  'conversation/link/make': 'change',
  'conversation/link/revoke': 'change',
  'user/list': 'look',
  'user/add': 'change',
  'user/remove': 'change',
  'user/token': 'change',
  'usage/read': 'look',
  'model/list': 'look',
  'provider/list': 'look',
  'provider/check': 'change',
  'config/read': 'look',
  'config/write': 'change',
  'login/start': 'change',
  'login/cancel': 'change',
  'login/status': 'look',
  logout: 'change',
  'mcp/login': 'change',
  'mcp/logout': 'change',
  'mcp/list': 'look',
  'mcp/restart': 'change',
  'trust/read': 'look',
  'trust/decide': 'change',
  'hook/list': 'look',
  'hook/try': 'change',
  'skill/list': 'look',
  'environment/list': 'look',
  'web/open': 'change',
  'server/diagnostics': 'look',
  'server/checkup': 'look',
  'policy/test': 'look',
  'policy/replay': 'look',
  'policy/why': 'look',
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
