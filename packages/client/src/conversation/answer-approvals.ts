import type { Approval, ApprovalDecision, ParamsOf } from '@parley/protocol'
import type { Followed } from './follow-events.ts'

/** `null`: nothing from us; another client may answer, or it stays pending. */
export type ApprovalAnswer = ApprovalDecision | Omit<ParamsOf<'approval/decide'>, 'conversationId' | 'approvalId'> | null

/** `signal` aborts when the question is settled without us: somebody was quicker, it was withdrawn, or the link is gone. */
export type ApprovalHandler = (
  approval: Approval,
  context: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>

export interface ApprovalOptions {
  /** Without an answer by then it is denied. Default: as long as it takes. */
  readonly timeoutMs?: number
  /** Told what the handler threw, after the denial. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void
}

export interface Answering extends Disposable {
  /** Asks no more; what was asked already is answered. */
  [Symbol.dispose](): void
}

/** Asks the handler once about each pending approval, those of before included, and sends its answer. */
export function answerApprovals(followed: Followed, handler: ApprovalHandler, options: ApprovalOptions = {}): Answering {
  const asked = new Map<string, AbortController>()
  const { store, ended } = followed

  function look(): void {
    const { approvals } = store.state.core
    for (const [id, controller] of asked) if (approvals[id]?.state !== 'pending') settle(id, controller)
    for (const approval of Object.values(approvals)) if (approval.state === 'pending') ask(approval)
  }

  function settle(id: string, controller: AbortController): void {
    asked.delete(id)
    controller.abort()
  }

  function ask(approval: Approval): void {
    if (asked.has(approval.id)) return
    const controller = new AbortController()
    asked.set(approval.id, controller)
    void answer(followed, approval, { handler, options, signal: AbortSignal.any([controller.signal, ended]) })
  }

  const leave = store.subscribe((envelope) => {
    if (envelope === null || mayConcernApprovals.has(envelope.event.type)) look()
  })
  look()
  return { [Symbol.dispose]: leave }
}

/** Most events are deltas, and many. */
const mayConcernApprovals: ReadonlySet<string> = new Set([
  'approval.requested',
  'approval.decided',
  'item.began',
  'item.completed',
  'item.discarded',
  'turn.ended',
])

interface Asking {
  readonly handler: ApprovalHandler
  readonly options: ApprovalOptions
  readonly signal: AbortSignal
}

/** Never rejects. Whatever goes wrong is a no. */
async function answer({ client, store }: Followed, approval: Approval, asking: Asking): Promise<void> {
  const given = await answerOf(approval, asking)
  if (given === null || asking.signal.aborted) return
  const decided = typeof given === 'string' ? { decision: given } : given
  const { conversationId } = store
  try {
    await client.request('approval/decide', { ...decided, conversationId, approvalId: approval.id })
  } catch (error) {
    // Somebody was quicker, or the link is gone and it stays pending; anything else is a mistake of the handler.
    if (!asking.signal.aborted && store.state.core.approvals[approval.id]?.state === 'pending') {
      report(asking.options, error)
    }
  }
}
