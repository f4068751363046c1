import type { RpcError } from '@parley/rpc'
import { rejection } from './refusal.ts'

/** What a read-only client is told that asks for a change. `change` completes "it …". */
export function notPermitted(change: string, next = 'Connect without `access: "readOnly"` to do that.'): RpcError {
  return rejection('notPermitted', `This client is connected read-only, and this ${change}. ${next}`)
}
