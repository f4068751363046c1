import {
  type Actor,
  type Answers,
  type Approval,
  type ApprovalId,
  type ConversationEvent,
  type DecisionRecord,
  isCall,
  type ParamsOf,
} from '@parley/protocol'
import { isSecretName, type Redaction } from '@parley/redaction'
import { noticeItem } from '../conversation/notices.ts'
import type { LiveConversation } from '../open/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'
import type { OpenQuestion } from '../turn/session-memory.ts'

/** Records the user's answer to a running call and passes it on. Throws `invalidParams` for answers that do not fit. */
export function answerQuestion(
  { conversation, modules, turns, clients }: LiveConversation,
  { approval, question }: { approval: Approval; question: OpenQuestion },
  { params, by }: { params: ParamsOf<'approval/decide'>; by: Actor },
): { seq: number } {
  const { decision, note, answers = {} } = params
  const accepts = decision === 'approved'
  const problem = accepts ? question.check(answers) : null
  if (problem !== null) throw rejection('invalidParams', problem.message, { field: `answers.${problem.field}` })
  const event: ConversationEvent = {
    type: 'approval.decided',
    approvalId: approval.id,
    decision,
    by,
    ...(note === undefined ? {} : { note }),
    ...(accepts ? { answers: hideSecretFields(answers, modules.redaction) } : {}),
  }
  const { seq } = conversation.record(event)
  clients.answered(approval.id, { by, decision })
  modules.memory.questions.byApproval.delete(approval.id)
  question.reply(accepts ? { kind: 'answered', answers } : { kind: decision === 'denied' ? 'declined' : 'cancelled' })
  if (decision === 'abort') turns.interrupt()
  return { seq }
}

/** Replaces the answers to fields named like secrets by marks, for the log; the call gets the exact ones. */
function hideSecretFields(answers: Answers, redaction: Redaction): Answers {
  const hidden = Object.entries(answers).map(([field, value]) =>
    typeof value === 'string' && isSecretName(field) ? [field, redaction.hide(field, value)] : [field, value],
  )
  return Object.fromEntries(hidden)
}

/**
 * Writes the rule of an `approvedAlways` into the user's policy file and returns the notice about it. The rule applies
 * at once in all conversations of this server. Throws `configInvalid` when it cannot be written, and the question stays.
 */
export function addRule({ modules }: LiveConversation, { always, turnId }: Approval): ConversationEvent {
  if (always === undefined) throw rejection('invalidParams', 'No rule goes with this question.', { field: 'decision' })
  const added = modules.userRules.add(always.rule)
  if ('problem' in added)
    throw rejection(
      'configInvalid',
      `The rule was not added: ${added.problem}. A yes for this once is still possible.`,
      {
        where: always.file,
      },
    )
  const title = `From now on allowed, in every folder, with or without a sandbox: ${always.label} (${always.file}:${added.line}).`
  const item = noticeItem(modules.ids.item(), { level: 'info', code: 'ruleAdded', title })
  return { type: 'item.completed', turnId, item }
}

/** Returns who answered an approval that is no longer pending, and how; from its call where memory has forgotten it. */
export function whoAnswered(
  { conversation, clients }: LiveConversation,
  approvalId: ApprovalId,
): { readonly who: string; readonly decision: string } | null {
  const known = clients.answerTo(approvalId) ?? recorded(conversation.state, approvalId)
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
