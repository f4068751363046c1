import type { Conversation } from '@parley/client'
import { ConnectionClosedError, type Peer } from '@parley/rpc'
import { answerIn, approvalRequestOf } from '../shapes/approvals.ts'
import type { Notify } from './thread-feed.ts'

interface Asking {
  readonly peer: Pick<Peer, 'request'>
  readonly notify: Notify
  /** ms since the epoch. */
  readonly now: () => number
}

/**
 * Asks the client about each pending approval of a thread, as a request, until it is answered or settled otherwise. An
 * error or an answer that is none denies; a client that leaves says nothing, so the question waits for the next.
 */
export function askClient(conversation: Conversation, { peer, notify, now }: Asking): Disposable {
  const threadId = conversation.id
  return conversation.onApproval(async (approval, { signal }) => {
    const { enforcement } = conversation.state.core.settings
    const { method, params } = approvalRequestOf(approval, { threadId, enforcement, startedAtMs: now() })
    let requestId: number | null = null
    const onId = (id: number) => {
      requestId = id
    }
    try {
      return answerIn(await peer.request(method, params, { signal, onId }), approval)
    } catch (error) {
      return signal.aborted || error instanceof ConnectionClosedError ? null : 'denied'
    } finally {
      notify('serverRequest/resolved', { threadId, requestId })
    }
  })
}
