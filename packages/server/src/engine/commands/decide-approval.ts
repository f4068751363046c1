import {
  type Actor,
  type Approval,
  type ApprovalId,
  type ConversationEvent,
  type Item,
  isCall,
  type ParamsOf,
  standingOutcome,
} from '@parley/protocol'
import { addRule, answerQuestion, whoAnswered } from '../calls/approval-answers.ts'
import type { LiveConversation } from '../open/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'
import { writable } from './commands.ts'

/**
 * Records the answer to an approval with the events that follow, in one write. Throws `approvalNotPending` after the
 * first answer.
 */
export function decideApproval(
  open: LiveConversation,
  params: ParamsOf<'approval/decide'>,
  by: Actor,
): { seq: number } {
  const { conversation, turns } = writable(open)
  const { approvalId, decision, note, unattended = false } = params
  const approval = conversation.state.core.approvals[approvalId]
  if (approval?.state !== 'pending') throw notPending(open, approvalId)
  if (!approval.decisions.includes(decision))
    throw rejection(
      'invalidParams',
      `"${decision}" is not one of the answers here: ${approval.decisions.join(', ')}.`,
      {
        field: 'decision',
      },
    )
  if (approval.kind === 'elicitation') {
    const question = open.modules.memory.questions.byApproval.get(approvalId)
    if (question === undefined) throw notPending(open, approvalId)
    return answerQuestion(open, { approval, question }, { params, by })
  }
  const answer = {
    type: 'approval.decided' as const,
    approvalId,
    decision,
    by,
    ...(note === undefined ? {} : { note }),
  }
  const [decided] = conversation.recordAll([answer, ...consequences(open, approval, { ...answer, unattended })])
  open.clients.answered(approvalId, { by, decision })
  if (decision === 'abort') turns.interrupt()
  turns.wake()
  return { seq: decided?.seq ?? 0 }
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
      return denied(open, approval.id, answer)
  }
}

function notPending(open: LiveConversation, approvalId: ApprovalId) {
  const answered = whoAnswered(open, approvalId)
  if (answered === null)
    return rejection('approvalNotPending', `Approval ${approvalId} is not pending: it was answered or withdrawn.`)
  const { who: decidedBy, decision } = answered
  return rejection('approvalNotPending', `${decidedBy} already answered: ${decision}.`, { decidedBy, decision })
}

interface No {
  readonly note?: string
  readonly unattended: boolean
}

/** Returns the reason of a denial as the model reads it. */
function denialText({ note, unattended }: No): string {
  if (unattended) return note ?? 'nobody is there to answer.'
  return note === undefined ? 'the user denied this.' : `the user denied this and says: ${note}`
}

function denied(
  open: LiveConversation,
  approvalId: ApprovalId,
  answer: No & { decision: string; by: Actor },
): ConversationEvent[] {
  const { core } = open.conversation.state
  const approval = core.approvals[approvalId]
  const about = approval === undefined ? undefined : core.open[approval.itemId]
  if (approval === undefined || about === undefined || !isCall(about.item)) return []
  const standing = standingOutcome(about)
  const { item } = about
  const { rule, reason, turnId } = approval
  const { by, note } = answer
  const decision = {
    verdict: 'ask' as const,
    rule,
    reason,
    approvalId,
    answer: answer.decision,
    by,
    ...(note === undefined ? {} : { note }),
  }
  if (standing !== null) return [{ type: 'item.completed', turnId, item: leftAsItWas(standing, answer) }]
  const modelText = `Not run: ${denialText(answer)}`
  const known = approval.facts === undefined ? {} : { facts: approval.facts }
  return [{ type: 'item.completed', turnId, item: { ...item, ...known, status: 'denied', decision, modelText } }]
}

/** Returns the result of the first attempt with the denial of a second one added. */
function leftAsItWas(item: Item, answer: No): Item {
  if (!isCall(item)) return item
  const { note, unattended } = answer
  const said = note === undefined ? '' : ` and says: ${note}`
  const refused = unattended
    ? `Not run again with more rights: ${denialText(answer)}`
    : `The user denied running it again with more rights${said}.`
  return { ...item, modelText: `${item.modelText ?? ''}\n(${refused})` }
}
