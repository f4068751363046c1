import { type MethodName, methodAccess, type ParamsOf } from '@parley/protocol'

/**
 * Parameter by which a second request does nothing more, at another server too: the log has it. A conversation without a
 * message is in no store, so a second one leaves no trace.
 */
const keys: Readonly<Partial<Record<MethodName, string>>> = {
  'conversation/create': 'cwd',
  'conversation/sendMessage': 'messageId',
  'conversation/inbox/remove': 'messageId',
  'conversation/interrupt': 'turnId',
  'conversation/continue': 'requestKey',
  'conversation/compact': 'requestKey',
  'conversation/context/leaveOut': 'requestKey',
  'conversation/runShell': 'requestKey',
  'approval/decide': 'approvalId',
}

/** Returns the parameters with a key, where the method takes one that the caller left out. */
export function keyed<Name extends MethodName>(method: Name, params: ParamsOf<Name>): ParamsOf<Name> {
  if (keys[method] !== 'requestKey' || 'requestKey' in params) return params
  const complete: unknown = { ...params, requestKey: crypto.randomUUID() }
  return complete as ParamsOf<Name> // narrowed: these methods take the key
}

/** Returns true for a request that may be sent again where nobody knows if the first one took effect. */
export function isRepeatable<Name extends MethodName>(method: Name, params: ParamsOf<Name>): boolean {
  if (methodAccess[method] !== 'change') return true
  const key = keys[method]
  return key !== undefined && key in params
}
