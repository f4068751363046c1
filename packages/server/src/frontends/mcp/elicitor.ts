import { setTimeout as expired } from 'node:timers/promises'
import type { RequestId, Server } from '@modelcontextprotocol/server'
import type { Client } from '@parley/client/low-level'
import type {
  Approval,
  ApprovalId,
  ApprovalRequest,
  ConversationId,
  Enforcement,
  Envelope,
  Item,
} from '@parley/protocol'
import * as z from 'zod'
import { type ElicitedAnswer, offered, readAnswer } from '../../codex-events/approvals.ts'
import { elicitationFor } from '../../codex-events/elicitation.ts'

export interface Asked {
  readonly conversationId: ConversationId
  readonly approval: ApprovalRequest | Approval
  readonly item: Item | null
  /** Enforcement of the sandbox in the conversation. */
  readonly enforcement: Enforcement
  /** Request in whose turn the approval was requested; null when it was found pending. */
  readonly requestId: RequestId | null
  /** True when the request is still being answered, so that the elicitation travels on its stream. */
  readonly withCall: boolean
  /** Connection that takes the decision. */
  readonly client: Client
  /** Effect of a client that leaves without an answer: the approval stays pending, or is denied. */
  readonly whenGone: 'wait' | 'deny'
}

/**
 * Sends approvals to one MCP client as elicitations. Each ends by an answer, an error, the time limit or its
 * withdrawal.
 */
export interface Elicitor {
  /** True when the client has declared that it can show forms. */
  readonly capable: boolean
  /** Sends one elicitation per approval, however often it is called. */
  ask(asked: Asked): void
  /** Withdraws the elicitation when the event shows that the approval is decided or its call has ended. */
  note(envelope: Envelope): void
  /** Resolves when every answer that was given has been delivered. */
  settled(): Promise<void>
}

interface Outstanding {
  readonly asked: Asked
  readonly controller: AbortController
}

function isSettledBy({ conversationId, approval }: Asked, envelope: Envelope): boolean {
  if (envelope.conversationId !== conversationId) return false
  const { event } = envelope
  if (event.type === 'approval.decided') return event.approvalId === approval.id
  return event.type === 'item.completed' && event.item.id === approval.itemId
}

/** Answer of a client, or a denial of ours with its reason in `note`. */
interface Answer extends ElicitedAnswer {
  readonly note?: string
}

/** Longest question, in bytes, for clients that show a message without paging. */
const maxQuestionBytes = 64 * 1024

/** Returns the reason to deny a question that is too long to be shown whole; null for one that is not. */
function tooLongText(message: string, conversationId: string): string | null {
  const sizeBytes = Buffer.byteLength(message)
  if (sizeBytes <= maxQuestionBytes) return null
  return `the question about this has ${Math.ceil(sizeBytes / 1024)} KiB, and an MCP client is shown ${maxQuestionBytes / 1024} KiB at most, because it may not be able to page. The user can be asked in a terminal: run \`parley attach ${conversationId.slice(-8)}\` and ask for it again there. Or do it in smaller steps.`
}

/** Returns true where this client only follows, and another one that is connected could be shown the question whole. */
function isForOthers({ whenGone, approval, client }: Asked): boolean {
  return whenGone === 'wait' && approval.answerableBy.some((id) => id !== client.server.clientId)
}

/** Accepts both forms of an answer, of which the SDK's schema rejects one. */
const anyResult = z.looseObject({})

export function createElicitor(server: Server, timeoutMs: number): Elicitor {
  const outstanding = new Map<ApprovalId, Outstanding>()
  const deciding = new Set<Promise<void>>()
  let gone = false
  const isCapable = () => showsForms(server.getClientCapabilities()?.elicitation)

  async function answerOf(asked: Asked, signal: AbortSignal): Promise<Answer> {
    if (!isCapable()) return { decision: 'denied' }
    const { approval, item, requestId, conversationId, enforcement, withCall } = asked
    const related = withCall && requestId !== null ? { relatedRequestId: requestId } : {}
    const params = elicitationFor(approval, item, { requestId, conversationId, enforcement })
    const note = tooLongText(params.message, conversationId)
    if (note !== null) {
      if (isForOthers(asked)) await expired(timeoutMs, undefined, { signal, ref: false })
      return { decision: 'denied', note }
    }
    const options = { signal, timeout: timeoutMs, ...related }
    const result = await server.request({ method: 'elicitation/create', params }, anyResult, options)
    return namesAnother(result, conversationId) ? { decision: 'denied' } : readAnswer(result)
  }

  /** Tells the caller why its call is denied unasked; events carry nothing of a call that never began. */
  function tellDenied({ requestId, withCall, conversationId: threadId, approval }: Asked, note: string): void {
    if (requestId === null || !withCall) return
    const message = `Denied: ${note}`
    const params = { _meta: { requestId, threadId }, id: approval.turnId, msg: { type: 'background_event', message } }
    server.notification({ method: 'codex/event', params }, { relatedRequestId: requestId }).catch(() => undefined)
  }

  async function settle(asked: Asked, controller: AbortController): Promise<void> {
    const { approval, client, conversationId, whenGone } = asked
    let answer: Answer = { decision: 'denied' }
    try {
      answer = await answerOf(asked, controller.signal)
    } catch {
      // Malformed answers, errors, the time limit and a lost connection all deny.
    }
    outstanding.delete(approval.id)
    if (controller.signal.aborted || (whenGone === 'wait' && (gone || server.transport === undefined))) return
    const { decision, answers, note } = answer
    const filled = decision === 'approved' && approval.form !== undefined && answers !== undefined ? { answers } : {}
    const said = note === undefined ? {} : { note, unattended: true as const }
    if (note !== undefined) tellDenied(asked, note)
    await client
      .request('approval/decide', {
        conversationId,
        approvalId: approval.id,
        decision: offered(decision, approval.decisions),
        ...filled,
        ...said,
      })
      // Someone else has decided meanwhile, or the form does not fit: deny.
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
        if (isSettledBy(asked, envelope)) controller.abort('it is not waited for any more')
    },
    async settled() {
      gone = true
      await Promise.allSettled(deciding)
    },
  }
}

/** Returns true for an answer that names another conversation, which denies. */
function namesAnother(result: Readonly<Record<string, unknown>>, conversationId: ConversationId): boolean {
  return ['conversationId', 'threadId', 'sessionId'].some((key) => (result[key] ?? conversationId) !== conversationId)
}

async function decline({ client, conversationId, approval }: Asked): Promise<void> {
  const params = { conversationId, approvalId: approval.id, decision: 'denied' as const }
  await client.request('approval/decide', params).catch(() => undefined)
}

/** Returns true when the client shows forms. Before the capability had modes, an empty object meant forms. */
function showsForms(capability: { form?: unknown; url?: unknown } | undefined): boolean {
  if (capability === undefined) return false
  return capability.form !== undefined || capability.url === undefined
}
