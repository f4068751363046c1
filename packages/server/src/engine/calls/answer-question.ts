import type { Actor, Answers, Approval, ConversationEvent, ParamsOf } from '@parley/protocol'
import { isSecretName, type Redaction } from '@parley/redaction'
import type { LiveConversation } from '../open/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'
import type { OpenQuestion } from '../turn/session-memory.ts'

/** The user's answer to a call that runs; the call goes on with it. */
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

/** Whoever asks for a secret by its name gets what the user put in; what is kept of it is a mark. */
function hideSecretFields(answers: Answers, redaction: Redaction): Answers {
  const hidden = Object.entries(answers).map(([field, value]) =>
    typeof value === 'string' && isSecretName(field) ? [field, redaction.hide(field, value)] : [field, value],
  )
  return Object.fromEntries(hidden)
}
