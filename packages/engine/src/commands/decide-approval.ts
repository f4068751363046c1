import { looserSandbox } from '@parley/config'
import {
  type Answers,
  type Approval,
  type ApprovalId,
  type ConversationEvent,
  type DecisionRecord,
  isCall,
  modeOf,
  type ParamsOf,
  pairOf,
  permits,
} from '@parley/protocol'
import { chosenMode } from '@parley/protocol/question'
import { reachOfYes, sealOf } from '../calls/approval-request.ts'
import { assertApprovalWithin } from '../limits/ceiling.ts'
import type { Guest } from '../limits/may-loosen.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import { addRule, assertMayAddRule } from './add-rule.ts'
import { answerQuestion, formAnswers } from './answer-form.ts'
import { afterConfigured, configuredEvent } from './commands.ts'
import { deniedCall } from './denied-call.ts'

/**
 * Records the answer to an approval with the events that follow, in one write. Throws `approvalNotPending` after the
 * first answer.
 */
export function decideApproval(
  open: LiveConversation,
  params: ParamsOf<'approval/decide'>,
  client: Guest,
): { seq: number } {
  const { actor: by, rights } = client
  const { conversation, turns } = writable(open)
  const { approvalId, decision, scope, note, unattended = false } = params
  const approval = conversation.state.core.approvals[approvalId]
  if (approval?.state !== 'pending') throw notPending(open, approvalId)
  if (!approval.decisions.includes(decision))
    throw invalidParam('decision', `"${decision}" is not one of the answers here: ${approval.decisions.join(', ')}.`)
  assertOfferedScope(approval, params)
  // Anyone who may answer may deny. A yes lets the work go on in the mode of the conversation, so the client must be
  // allowed that mode, too.
  if (permits(decision))
    assertApprovalWithin(
      rights.maxSandbox,
      looserSandbox(reachOfYes(approval), conversation.state.core.settings.sandbox),
    )
  if (decision === 'approvedAlways') assertMayAddRule(client)
  if (approval.kind === 'elicitation') {
    const question = open.roles.act.memory.questions.find(approvalId)
    if (question === undefined) throw notPending(open, approvalId)
    return answerQuestion(open, { approval, question }, { params, by })
  }
  const answer = {
    type: 'approval.decided' as const,
    approvalId,
    decision,
    by,
    ...(scope === undefined ? {} : { scope }),
    ...(note === undefined ? {} : { note }),
    ...formAnswers(open, approval, params),
    ...sealedYes(open, approval, params),
  }
  const before = conversation.state.core.settings
  const mayLoosen = client.mayLoosen && rights.permits('edit', conversation.state.core.meta)
  const mode = modeEvents(open, { approval, answers: answer.answers ?? {} }, { actor: by, mayLoosen, rights })
  const [decided] = conversation.recordAll([
    answer,
    ...mode,
    ...consequences(open, approval, { ...answer, unattended }),
  ])
  if (mode.length > 0) afterConfigured(open, before)
  open.roles.act.memory.questions.answered(approvalId, { by, decision })
  if (decision === 'abort') turns.interrupt()
  turns.wake()
  return { seq: decided?.seq ?? 0 }
}

/**
 * Returns the change to the mode that the answer to a plan chooses; empty where the mode is in force. Throws for a mode
 * that the client may not choose.
 */
function modeEvents(
  open: LiveConversation,
  { approval, answers }: { readonly approval: Approval; readonly answers: Answers },
  client: Pick<Guest, 'actor' | 'mayLoosen' | 'rights'>,
): ConversationEvent[] {
  const mode = chosenMode(approval, answers)
  if (mode === null || modeOf(open.conversation.state.core.settings) === mode.name) return []
  return [configuredEvent(open, pairOf(mode), client)]
}

/** Throws `invalidParams` for the wider answer for the session where it is not offered, or with another decision. */
function assertOfferedScope({ forSession }: Approval, { decision, scope }: ParamsOf<'approval/decide'>): void {
  if (scope === undefined || (decision === 'approvedForSession' && forSession?.any !== undefined)) return
  throw rejection(
    'invalidParams',
    '`scope` is for `approvedForSession` where `forSession` of the approval has `any`.',
    {
      field: 'scope',
    },
  )
}

/** Returns the seal that proves a yes of this home to a later process; empty for other answers. */
function sealedYes(
  { conversation, roles }: LiveConversation,
  approval: Approval,
  { decision, scope }: ParamsOf<'approval/decide'>,
) {
  if (!permits(decision)) return {}
  const yes = { ...approval, decision, ...(scope === undefined ? {} : { scope }) }
  return { seal: sealOf(yes, conversation.state.core.meta.conversationId, roles.record.redaction) }
}

/**
 * Returns the events that follow from an answer. A permanent rule is written to its file first; if that fails the
 * answer is not recorded.
 */
function consequences(
  open: LiveConversation,
  approval: Approval,
  answer: Extract<ConversationEvent, { type: 'approval.decided' }> & { unattended: boolean },
): ConversationEvent[] {
  switch (answer.decision) {
    case 'approved':
    case 'approvedForSession':
      return []
    case 'approvedAlways':
      return [addRule(open, approval)]
    default:
      return deniedCall(open, approval, answer)
  }
}

/** Builds the error for an answer that comes after the first, or after the question was withdrawn. */
function notPending(open: LiveConversation, approvalId: ApprovalId) {
  const answered = whoAnswered(open, approvalId)
  if (answered === null)
    return rejection('approvalNotPending', `Approval ${approvalId} is not pending: it was answered or withdrawn.`)
  const { who: decidedBy, decision } = answered
  return rejection('approvalNotPending', `${decidedBy} already answered: ${decision}.`, { decidedBy, decision })
}

/**
 * Returns the author and the decision of an approval that is no longer pending; from its call where memory has
 * forgotten it.
 */
function whoAnswered(
  { conversation, roles }: LiveConversation,
  approvalId: ApprovalId,
): { readonly who: string; readonly decision: string } | null {
  const known = roles.act.memory.questions.answerTo(approvalId) ?? recorded(conversation.state, approvalId)
  if (known?.by === undefined || known.decision === undefined) return null
  return { who: known.by.title ?? known.by.name, decision: known.decision }
}

function recorded({ core, window }: LiveConversation['conversation']['state'], approvalId: ApprovalId) {
  const approval = core.approvals[approvalId]
  if (approval !== undefined) return approval
  const items = [...Object.values(core.open), ...window].map(({ item }) => item)
  const decisions = items.flatMap((item): DecisionRecord[] =>
    isCall(item) && item.decision?.approvalId === approvalId ? [item.decision] : [],
  )
  return decisions.map(({ by, answer: decision }) => ({ by, decision }))[0]
}
