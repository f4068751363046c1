import { type MethodName, methodRules, type ParamsOf } from '@parley/protocol'

/**
 * Parameter by which a server recognises a repeated request in the log. A repeated `create` is harmless with any: a
 * conversation without messages is not stored.
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

/** Returns the parameters with a key added, where the method takes a key and the caller gave no key. */
export function withRequestKey<Name extends MethodName>(method: Name, params: ParamsOf<Name>): ParamsOf<Name> {
  if (keys[method] !== 'requestKey' || 'requestKey' in params) return params
  const complete: unknown = { ...params, requestKey: crypto.randomUUID() }
  return complete as ParamsOf<Name> // narrowed: these methods take the key
}

/** Returns true for a request that may be sent again although the first one may have taken effect. */
export function isRepeatable<Name extends MethodName>(method: Name, params: ParamsOf<Name>): boolean {
  if (methodRules[method].access !== 'change') return true
  const key = keys[method]
  return key !== undefined && key in params
}
