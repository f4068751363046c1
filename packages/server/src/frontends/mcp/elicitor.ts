import type { RequestId, Server } from '@modelcontextprotocol/server'
import type { Client } from '@parley/client'
import type { Approval, ApprovalRequest, Enforcement, Envelope, Item } from '@parley/protocol'
import * as z from 'zod'
import { type ElicitedAnswer, offered, readAnswer } from '../../codex-events/approvals.ts'
import { elicitationFor } from '../../codex-events/elicitation.ts'

export interface Asked {
  readonly conversationId: string
  readonly approval: ApprovalRequest | Approval
  readonly item: Item | null
  /** How far limits are enforced in its conversation. */
  readonly enforcement: Enforcement
  /** Of the call in whose turn it is asked; null when it was found waiting. */
  readonly requestId: RequestId | null
  /** The question belongs to a call that is being answered, so it travels on that call's stream. */
  readonly withCall: boolean
  /** Where the answer goes. */
  readonly client: Client
  /** When this client leaves without an answer: it stays for others, or it is a no. */
  readonly whenGone: 'wait' | 'deny'
}

/** Puts approvals to one MCP client. Every question ends: by an answer, a failure of any kind, the time limit or its withdrawal. */
export interface Elicitor {
  /** The client said that it can show forms. */
  readonly capable: boolean
  /** Asks once, however often it is called for the same approval. */
  ask(asked: Asked): void
  /** Withdraws what an event has made idle: somebody else has answered, or the call it was about is over. */
  note(envelope: Envelope): void
  /** Resolves when every answer that was given has arrived. */
  settled(): Promise<void>
}

interface Outstanding {
  readonly asked: Asked
  readonly controller: AbortController
}

function isIdle({ conversationId, approval }: Asked, envelope: Envelope): boolean {
  if (envelope.conversationId !== conversationId) return false
  const { event } = envelope
  if (event.type === 'approval.decided') return event.approvalId === approval.id
  return event.type === 'item.completed' && event.item.id === approval.itemId
}

/** Both shapes of an answer have to get through, so the SDK's own schema is not used. */
const anyResult = z.looseObject({})

export function createElicitor(server: Server, timeoutMs: number): Elicitor {
  const outstanding = new Map<string, Outstanding>()
  const deciding = new Set<Promise<void>>()
  let gone = false
  const isCapable = () => showsForms(server.getClientCapabilities()?.elicitation)

  async function answerOf(asked: Asked, signal: AbortSignal): Promise<ElicitedAnswer> {
    if (!isCapable()) return { decision: 'denied' }
    const { approval, item, requestId, conversationId, enforcement, withCall } = asked
    const related = withCall && requestId !== null ? { relatedRequestId: requestId } : {}
    const params = elicitationFor(approval, item, { requestId, conversationId, enforcement })
    const options = { signal, timeout: timeoutMs, ...related }
    const result = await server.request({ method: 'elicitation/create', params }, anyResult, options)
    return namesAnother(result, conversationId) ? { decision: 'denied' } : readAnswer(result)
  }

  async function settle(asked: Asked, controller: AbortController): Promise<void> {
    const { approval, client, conversationId, whenGone } = asked
    let answer: ElicitedAnswer = { decision: 'denied' }
    try {
      answer = await answerOf(asked, controller.signal)
    } catch {
      // Malformed, an error, too late, gone: whatever is no answer is a no.
    }
    outstanding.delete(approval.id)
    if (controller.signal.aborted || (whenGone === 'wait' && (gone || server.transport === undefined))) return
    const { decision, answers } = answer
    const filled = decision === 'approved' && approval.form !== undefined && answers !== undefined ? { answers } : {}
    await client
      .request('approval/decide', {
        conversationId,
        approvalId: approval.id,
        decision: offered(decision, approval.decisions),
        ...filled,
      })
      // Somebody was quicker, or what was filled in does not fit: then it is declined.
      .catch(() => decline(asked))
  }

  return {
    get capable() {
      return isCapable()
    },
    ask(asked) {
      const { id } = asked.approval
      if (outstanding.has(id)) return
      const controller = new AbortController()
      outstanding.set(id, { asked, controller })
      const done = settle(asked, controller).finally(() => deciding.delete(done))
      deciding.add(done)
    },
    note(envelope) {
      for (const { asked, controller } of outstanding.values())
        if (isIdle(asked, envelope)) controller.abort('it is not waited for any more')
    },
    async settled() {
      gone = true
      await Promise.allSettled(deciding)
    },
  }
}

/** A client that mixes up its conversations has not said yes to this one. */
function namesAnother(result: Readonly<Record<string, unknown>>, conversationId: string): boolean {
  return ['conversationId', 'threadId', 'sessionId'].some((key) => (result[key] ?? conversationId) !== conversationId)
}

async function decline({ client, conversationId, approval }: Asked): Promise<void> {
  const params = { conversationId, approvalId: approval.id, decision: 'denied' as const }
  await client.request('approval/decide', params).catch(() => undefined)
}

/** Before there were modes, an empty object meant forms. */
function showsForms(capability: { form?: unknown; url?: unknown } | undefined): boolean {
  if (capability === undefined) return false
  return capability.form !== undefined || capability.url === undefined
}
