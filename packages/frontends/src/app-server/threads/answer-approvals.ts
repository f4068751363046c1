import type { Conversation } from '@parley/client'
import type { SandboxMode } from '@parley/protocol'
import { planModes } from '@parley/protocol/question'
import { ConnectionClosedError, type Peer } from '@parley/rpc'
import { answerIn, approvalRequestOf } from '../shapes/approvals.ts'
import type { Notify } from '../wire/codex-transport.ts'

interface ApprovalClient {
  readonly peer: Pick<Peer, 'request'>
  readonly notify: Notify
  /** ms since the epoch. */
  readonly now: () => number
  /** Returns the loosest sandbox mode that the client may choose. */
  readonly ceiling: () => SandboxMode
}

/**
 * Asks the client about each pending approval of a thread until it is settled. An error, or no valid answer, denies; a
 * client that leaves decides nothing.
 */
export function askClient(conversation: Conversation, { peer, notify, now, ceiling }: ApprovalClient): Disposable {
  const threadId = conversation.id
  return conversation.onApproval(async (approval, { signal }) => {
    const { enforcement } = conversation.state.core.settings
    const modes = planModes(approval, ceiling())
    const { method, params } = approvalRequestOf(approval, { threadId, enforcement, startedAtMs: now(), modes })
    let requestId: number | null = null
    const onId = (id: number) => {
      requestId = id
    }
    try {
      return answerIn(await peer.request(method, params, { signal, onId }), approval, modes)
    } catch (error) {
      return signal.aborted || error instanceof ConnectionClosedError ? null : 'denied'
    } finally {
      notify('serverRequest/resolved', { threadId, requestId })
    }
  })
}
