import { type ApprovalId, type DecisionRecord, isCall } from '@parley/protocol'
import type { LiveConversation } from '../open/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'

/** Builds the error for an answer that comes after the first, or after the question was withdrawn. */
export function notPending(open: LiveConversation, approvalId: ApprovalId) {
  const answered = whoAnswered(open, approvalId)
  if (answered === null)
    return rejection('approvalNotPending', `Approval ${approvalId} is not pending: it was answered or withdrawn.`)
  const { who: decidedBy, decision } = answered
  return rejection('approvalNotPending', `${decidedBy} already answered: ${decision}.`, { decidedBy, decision })
}

/** Returns who answered an approval that is no longer pending, and how; from its call where memory has forgotten it. */
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
