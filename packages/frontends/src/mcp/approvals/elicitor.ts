import { setTimeout as expired } from 'node:timers/promises'
import type { Server } from '@modelcontextprotocol/server'
import {
  type ApprovalDecision,
  type ApprovalId,
  type ConversationId,
  type Envelope,
  isLooser,
  type Mode,
  pairOf,
  shortIdOf,
} from '@parley/protocol'
import { planModes } from '@parley/protocol/question'
import * as z from 'zod'
import type { CallersLimits } from '../../callers-limits.ts'
import { type ElicitedAnswer, offeredDecision, readAnswer } from '../../codex-events/approvals.ts'
import { elicitationFor } from '../../codex-events/elicitation.ts'
import { formDecision } from '../../codex-events/form-schema.ts'
import type { AskedApproval } from './asked-approval.ts'
import { createSessionRoots } from './session-roots.ts'

/**
 * Sends approvals to one MCP client as elicitations. Each ends by an answer, an error, the time limit or its
 * withdrawal.
 */
export interface Elicitor {
  /** True when the client has declared that it can show forms. */
  readonly capable: boolean
  /** Sends one elicitation per approval, however often it is called. */
  ask(asked: AskedApproval): void
  /** Withdraws the elicitation when the event shows that the approval is decided or its call has ended. */
  note(envelope: Envelope): void
  /** Resolves when every answer that was given has been delivered. */
  settled(): Promise<void>
}

function isSettledBy({ conversationId, approval }: AskedApproval, envelope: Envelope): boolean {
  if (envelope.conversationId !== conversationId) return false
  const { event } = envelope
  if (event.type === 'approval.decided') return event.approvalId === approval.id
  return event.type === 'item.completed' && event.item.id === approval.itemId
}

/** Answer of a client, or a denial of ours with its reason in `note`. */
interface ClientAnswer extends ElicitedAnswer {
  readonly note?: string
  /** Folder that the question offered to open for the session. */
  readonly grantRoot?: string | null
}

/** Longest question, in bytes, for clients that show a message without paging. */
const maxQuestionBytes = 64 * 1024

/** Returns the reason to deny a question that is too long to be shown whole; null for one that is not. */
function tooLongText(message: string, conversationId: string): string | null {
  const sizeBytes = Buffer.byteLength(message)
  if (sizeBytes <= maxQuestionBytes) return null
  return `the question about this has ${Math.ceil(sizeBytes / 1024)} KiB, and an MCP client is shown ${maxQuestionBytes / 1024} KiB at most, because it may not be able to page. The user can be asked in a terminal: run \`parley attach ${shortIdOf(conversationId)}\` and ask for it again there. Or do it in smaller steps.`
}

/** Returns true where this client only follows, and another connected client could be shown the question whole. */
function isForOthers({ whenGone, approval, client }: AskedApproval): boolean {
  return whenGone === 'wait' && approval.answerableBy.some((id) => id !== client.server.clientId)
}

/** Accepts both forms of an answer; the SDK's schema rejects one of them. */
const anyResult = z.looseObject({})

export function createElicitor(server: Server, timeoutMs: number, limits: CallersLimits): Elicitor {
  const outstanding = new Map<ApprovalId, { readonly asked: AskedApproval; readonly controller: AbortController }>()
  const deciding = new Set<Promise<void>>()
  const roots = createSessionRoots(limits, tellCaller)
  let gone = false
  const isCapable = () => showsForms(server.getClientCapabilities()?.elicitation)

  async function answerOf(asked: AskedApproval, signal: AbortSignal): Promise<ClientAnswer> {
    if (!isCapable()) return { decision: 'denied' }
    const { approval, item, callId, agent, conversationId, settings, withCall } = asked
    const { enforcement } = settings
    const related = withCall ? { relatedRequestId: callId } : {}
    const grantRoot = await roots.offeredBy(asked)
    const modes = modesFor(asked)
    const params = elicitationFor(approval, item, { callId, agent, conversationId, enforcement, grantRoot, modes })
    const note = tooLongText(params.message, conversationId)
    if (note !== null) {
      if (isForOthers(asked)) await expired(timeoutMs, undefined, { signal, ref: false })
      return { decision: 'denied', note }
    }
    const options = { signal, timeout: timeoutMs, ...related }
    const result = await server.request({ method: 'elicitation/create', params }, anyResult, options)
    return namesAnother(result, conversationId) ? { decision: 'denied' } : { ...readAnswer(result), grantRoot }
  }

  /** Tells the caller something that no event of its turn says, such as the reason of a denial without a question. */
  function tellCaller(
    { callId: requestId, withCall, conversationId: threadId, approval }: AskedApproval,
    message: string,
  ): void {
    if (!withCall) return
    const params = { _meta: { requestId, threadId }, id: approval.turnId, msg: { type: 'background_event', message } }
    server.notification({ method: 'codex/event', params }, { relatedRequestId: requestId }).catch(() => undefined)
  }

  async function settle(asked: AskedApproval, controller: AbortController): Promise<void> {
    const { approval, whenGone } = asked
    let answer: ClientAnswer = { decision: 'denied' }
    try {
      answer = await answerOf(asked, controller.signal)
    } catch {
      // Malformed answers, errors, the time limit and a lost connection all deny.
    }
    outstanding.delete(approval.id)
    if (controller.signal.aborted || (whenGone === 'wait' && (gone || server.transport === undefined))) return
    const { note, grantRoot = null } = answer
    if (note !== undefined) tellCaller(asked, `Denied: ${note}`)
    const decided = decide(asked, answer)
    if (decisionOf(asked, answer) === 'approvedForSession' && grantRoot !== null)
      roots.openAfter(asked, grantRoot, decided)
    await decided
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
      roots.note(envelope)
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

function decisionOf({ approval }: AskedApproval, { decision }: ClientAnswer): ApprovalDecision {
  return offeredDecision(decision, approval.decisions)
}

/**
 * Sends the decision. Resolves with false where it does not count: another client has decided, or a form does not fit.
 */
function decide(asked: AskedApproval, answer: ClientAnswer): Promise<boolean> {
  const { client, conversationId, approval } = asked
  const decided =
    approval.kind === 'plan' && answer.note === undefined ? planDecision(asked, answer) : callDecision(asked, answer)
  return client.request('approval/decide', { conversationId, approvalId: approval.id, ...decided }).then(
    () => true,
    () => decline(asked).then(() => false),
  )
}

function callDecision(asked: AskedApproval, answer: ClientAnswer) {
  const { decision, answers, note } = answer
  const isFilled = decision === 'approved' && asked.approval.form !== undefined && answers !== undefined
  return {
    decision: decisionOf(asked, answer),
    ...(isFilled ? { answers } : {}),
    ...(note === undefined ? {} : { note, unattended: true as const }),
  }
}

/** Returns the answer to a plan; a yes is one of the modes in its form. */
function planDecision(asked: AskedApproval, { decision, answers = {} }: ClientAnswer) {
  const accepted = decision === 'approved' || decision === 'approvedForSession'
  return accepted ? formDecision({ approval: asked.approval, modes: modesFor(asked) }, answers) : { decision }
}

/** Returns the modes that callers may answer a plan with: they only tighten. */
function modesFor({ approval, settings }: AskedApproval): readonly Mode[] {
  return planModes(approval).filter((mode) => !isLooser({ ...settings, ...pairOf(mode) }, settings))
}

async function decline({ client, conversationId, approval }: AskedApproval): Promise<void> {
  const params = { conversationId, approvalId: approval.id, decision: 'denied' as const }
  await client.request('approval/decide', params).catch(() => undefined)
}

/** Returns true when the client shows forms. Before the capability had modes, an empty object meant forms. */
function showsForms(capability: { form?: unknown; url?: unknown } | undefined): boolean {
  if (capability === undefined) return false
  return capability.form !== undefined || capability.url === undefined
}
