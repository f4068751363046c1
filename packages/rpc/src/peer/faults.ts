import type { UnreadableReason } from '../transport/transport.ts'
import type { RpcError } from './errors.ts'

/** What went wrong on a connection without being anybody's answer. */
export type PeerFault =
  /** A handler threw something other than an `RpcError`, or its result could not be sent. Reported each time. */
  | { readonly code: 'handlerFailed'; readonly method: string; readonly cause: unknown }
  /** A reply to nothing we asked. Reported once. */
  | { readonly code: 'unknownReply'; readonly id: unknown }
  /** A line that was no message; it was answered with an error. Reported once. */
  | { readonly code: 'unreadable'; readonly reason: UnreadableReason }
  /** The far side could not read something we sent (an error reply with id null). Reported once. */
  | { readonly code: 'notUnderstood'; readonly error: RpcError }

export type FaultCode = PeerFault['code']

export interface FaultRecorder {
  readonly counts: Readonly<Record<FaultCode, number>>
  record(fault: PeerFault): void
}

/** Counts every fault. Those that a far side can cause at will are reported once, so that it cannot fill our log. */
export function createFaultRecorder(report: (fault: PeerFault) => void): FaultRecorder {
  const counts: Record<FaultCode, number> = { handlerFailed: 0, unknownReply: 0, unreadable: 0, notUnderstood: 0 }
  function note(fault: PeerFault): void {
    counts[fault.code] += 1
    if (fault.code !== 'handlerFailed' && counts[fault.code] > 1) return
    // Later, so that a report that throws cannot cost anyone an answer.
    queueMicrotask(() => report(fault))
  }
  return { counts, record: note }
}
