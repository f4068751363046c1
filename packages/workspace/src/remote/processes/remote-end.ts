import type { Exchanged } from '@parley/host'
import { RpcError } from '@parley/rpc'
import { EnvironmentUnreachableError } from '../../files/errors.ts'

/** End of a process on the remote machine. */
export type RemoteEnd =
  | {
      readonly kind: 'ended'
      readonly exitCode: number | null
      readonly triedNetwork: boolean
      readonly exchanged: readonly Exchanged[]
    }
  /** Not started: the exec-server rejected the start or could not be reached. */
  | { readonly kind: 'notStarted'; readonly why: string; readonly sandboxBroke: boolean }
  /** Started, or possibly started, with unknown end. */
  | { readonly kind: 'lost'; readonly why: string }
  /** Left running for the next server of the conversation. */
  | { readonly kind: 'left' }

/** Returns true when the sandbox could not be set up or is not available. */
function isSandboxFailure({ data }: RpcError): boolean {
  const codes = ['sandboxUnavailable', 'sandboxNotUnderstood']
  return codes.includes(String(data?.code)) || data?.['subject'] === 'sandbox'
}

/** Returns the end of a process that was not started. */
export function startFailure(error: unknown): RemoteEnd {
  if (error instanceof EnvironmentUnreachableError)
    return { kind: 'notStarted', why: error.message, sandboxBroke: false }
  if (error instanceof RpcError)
    return { kind: 'notStarted', why: error.message, sandboxBroke: isSandboxFailure(error) }
  return { kind: 'lost', why: String(error) }
}
