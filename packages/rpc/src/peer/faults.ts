import type { UnreadableReason } from '../transport/transport.ts'
import type { RpcError } from './errors.ts'

/** Problem on a connection that no reply reports to a caller. */
export type PeerFault =
  /** Handler that threw something other than an `RpcError`, or whose result has no JSON. Reported each time. */
  | { readonly code: 'handlerFailed'; readonly method: string; readonly cause: unknown }
  /** Reply whose id belongs to no request of this end. Reported once. */
  | { readonly code: 'unknownReply'; readonly id: unknown }
  /** Line that is not a message; an error reply was sent. Reported once. */
  | { readonly code: 'unreadable'; readonly reason: UnreadableReason }
  /** Error reply with id null: the remote end could not read a line of this end. Reported once. */
  | { readonly code: 'notUnderstood'; readonly error: RpcError }

export type FaultCode = PeerFault['code']

export interface FaultRecorder {
  readonly counts: Readonly<Record<FaultCode, number>>
  record(fault: PeerFault): void
}

/**
 * Creates a recorder that counts every fault. Faults that the remote end can cause at will are reported once per
 * connection, so that a hostile client cannot fill the log.
 */
export function createFaultRecorder(report: (fault: PeerFault) => void): FaultRecorder {
  const counts: Record<FaultCode, number> = { handlerFailed: 0, unknownReply: 0, unreadable: 0, notUnderstood: 0 }
  function record(fault: PeerFault): void {
    counts[fault.code] += 1
    if (fault.code !== 'handlerFailed' && counts[fault.code] > 1) return
    // Deferred, because a `report` that throws here would prevent the reply.
    queueMicrotask(() => report(fault))
  }
  return { counts, record }
}
