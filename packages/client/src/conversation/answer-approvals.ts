import {
  type Approval,
  type ApprovalDecision,
  type ApprovalId,
  offeredTo,
  type ParamsOf,
  unansweredApprovals,
} from '@parley/protocol'
import { codeOf } from '../connection/errors.ts'
import type { FollowedStream } from './follow-events.ts'

/** Answer of a handler. `null` sends nothing: another client may answer, or the approval stays pending. */
export type ApprovalAnswer =
  | ApprovalDecision
  | Omit<ParamsOf<'approval/decide'>, 'conversationId' | 'approvalId'>
  | null

/** Answers an approval. `signal` aborts when it is settled otherwise: answered by another client, withdrawn, or disconnected. */
export type ApprovalHandler = (
  approval: Approval,
  context: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>

export interface ApprovalOptions {
  /** Time for an answer before the approval is denied. Default: unlimited. */
  readonly timeoutMs?: number
  /** Called with the handler's error after the denial was sent. Default: a process warning. */
  readonly onError?: (error: unknown) => void
}

/**
 * Asks the handler once about each pending approval, earlier ones included, and sends its answer. After disposal it
 * asks about no further approval, but still sends the answers that are under way.
 */
export function answerApprovals(
  followed: FollowedStream,
  handler: ApprovalHandler,
  options: ApprovalOptions = {},
): Disposable {
  const asked = new Map<ApprovalId, AbortController>()
  const { store, ended } = followed

  function look(): void {
    const { approvals } = store.state.core
    for (const [id, controller] of asked) if (approvals[id]?.state !== 'pending') settle(id, controller)
    for (const approval of unansweredApprovals({ approvals })) begin(approval)
  }

  function settle(id: ApprovalId, controller: AbortController): void {
    asked.delete(id)
    controller.abort()
  }

  function begin(approval: Approval): void {
    if (asked.has(approval.id)) return
    const controller = new AbortController()
    asked.set(approval.id, controller)
    void answer(followed, offeredTo(followed.client.server.person, approval), {
      handler,
      options,
      signal: AbortSignal.any([controller.signal, ended]),
    })
  }

  const leave = store.subscribe((envelope) => {
    if (envelope === null || mayConcernApprovals.has(envelope.event.type)) look()
  })
  look()
  return { [Symbol.dispose]: leave }
}

/** Event types after which approvals are looked through. Most events are deltas and change no approval. */
const mayConcernApprovals: ReadonlySet<string> = new Set([
  'approval.requested',
  'approval.decided',
  'execution.started',
  'execution.failed',
  'item.completed',
  'item.discarded',
  'turn.ended',
])

interface HandlerCall {
  readonly handler: ApprovalHandler
  readonly options: ApprovalOptions
  /** Aborts when the approval is settled otherwise. */
  readonly signal: AbortSignal
}

/** Sends the handler's answer, or a denial after any failure, unless the approval is settled otherwise. */
async function answer(followed: FollowedStream, approval: Approval, asking: HandlerCall): Promise<void> {
  const { signal } = asking
  const faults: unknown[] = []
  const denyFor = (fault: unknown) => {
    faults.push(fault)
    return failed
  }
  const given = await ask(approval, asking).catch(denyFor)
  if (given === null || signal.aborted) return
  try {
    await decide(followed, approval.id, given)
  } catch (error) {
    if (signal.aborted || codeOf(error) === 'approvalNotPending') return
    await decide(followed, approval.id, denyFor(error)).catch(() => undefined)
  }
  for (const fault of faults) report(asking.options, fault)
}

const failed = { decision: 'denied', note: 'The program that answers approvals failed.' } as const
const late = { decision: 'denied', note: 'Nobody answered in time.' } as const

async function ask(approval: Approval, { handler, options, signal }: HandlerCall): Promise<ApprovalAnswer> {
  const expired = new AbortController()
  const lateness = Promise.withResolvers<ApprovalAnswer>()
  const expire = () => {
    lateness.resolve(late)
    expired.abort()
  }
  const timer = options.timeoutMs === undefined ? undefined : setTimeout(expire, options.timeoutMs)
  try {
    const given = Promise.resolve(handler(approval, { signal: AbortSignal.any([signal, expired.signal]) }))
    return await Promise.race([given, lateness.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Sends an answer. Throws `approvalNotPending` if the approval is settled. */
export async function decide(
  { client, store }: FollowedStream,
  approvalId: ApprovalId,
  given: NonNullable<ApprovalAnswer>,
): Promise<void> {
  const { conversationId } = store
  const decided = typeof given === 'string' ? { decision: given } : given
  await client.request('approval/decide', { ...decided, conversationId, approvalId })
}

function report({ onError }: ApprovalOptions, error: unknown): void {
  if (onError !== undefined) onError(error)
  else process.emitWarning(error instanceof Error ? error : String(error))
}
