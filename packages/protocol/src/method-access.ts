import type { MethodName } from './schema/method.ts'

/**
 * What a method does to what others see. `look`: nothing. `change`: something is recorded, sent, run or taken.
 * `join`: a look where the conversation is open already and nothing is set, or where a view is asked for.
 */
export type MethodAccess = 'look' | 'join' | 'change'

/** Every method has its entry, so a new one cannot be open to read-only clients by oversight. */
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
  'conversation/continue': 'change',
  'approval/decide': 'change',
  'conversation/fork': 'change',
  'conversation/list': 'look',
  'conversation/read': 'look',
  'conversation/readEvents': 'look',
  'conversation/readFile': 'look',
  'conversation/rename': 'change',
  'conversation/archive': 'change',
  'conversation/unarchive': 'change',
  'conversation/delete': 'change',
  'conversation/configure': 'change',
  'conversation/runShell': 'change',
  'model/list': 'look',
  'config/read': 'look',
  'mcp/list': 'look',
  'mcp/restart': 'change',
  'trust/read': 'look',
  'trust/decide': 'change',
  'server/diagnostics': 'look',
  'server/checkup': 'look',
  'policy/test': 'look',
  'policy/replay': 'look',
  'policy/why': 'look',
}
