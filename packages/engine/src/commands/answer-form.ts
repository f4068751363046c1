import {
  type Actor,
  type AnswerProblem,
  type Answers,
  type Approval,
  answersProblem,
  type ConversationEvent,
  type FormField,
  type LimitedAnswer,
  type ParamsOf,
  permits,
} from '@parley/protocol'
import { isSecretName, type Redaction } from '@parley/redaction'
import { utf8Length } from '@parley/text'
import type { LiveConversation } from '../live/live-conversation.ts'
import { invalidParam } from '../replies/rejection.ts'
import type { OpenQuestion } from '../session/session-memory.ts'

/** Longest text in a form, in bytes: answers stay in the state until the call has run. */
const maxAnswerBytes = 8 * 1024

/** Returns the answers to the form of a question of the model. Throws `invalidParams` for answers that do not fit. */
export function formAnswers({ roles }: LiveConversation, { form }: Approval, params: ParamsOf<'approval/decide'>) {
  const { decision, answers = {} } = params
  if (form === undefined || !permits(decision)) return {}
  const tooLong = (_: FormField, value: LimitedAnswer) =>
    utf8Length(String(value)) <= maxAnswerBytes ? null : `at most ${maxAnswerBytes} bytes fit`
  const problem = answersProblem(form.fields, answers, tooLong)
  if (problem !== null) throw misfit(problem)
  return { answers: hideSecretFields(answers, roles.record.redaction) }
}

function misfit({ field, message }: AnswerProblem) {
  return invalidParam(`answers.${field}`, message)
}

/** Records the user's answer to a running call and passes it on. Throws `invalidParams` for answers that do not fit. */
export function answerQuestion(
  { conversation, roles, turns }: LiveConversation,
  { approval, question }: { approval: Approval; question: OpenQuestion },
  { params, by }: { params: ParamsOf<'approval/decide'>; by: Actor },
): { seq: number } {
  const { decision, note, answers = {} } = params
  const accepts = decision === 'approved'
  const problem = accepts ? question.check(answers) : null
  if (problem !== null) throw misfit(problem)
  const event: ConversationEvent = {
    type: 'approval.decided',
    approvalId: approval.id,
    decision,
    by,
    ...(note === undefined ? {} : { note }),
    ...(accepts ? { answers: hideSecretFields(answers, roles.record.redaction) } : {}),
  }
  const { seq } = conversation.record(event)
  roles.act.memory.questions.answered(approval.id, { by, decision })
  roles.act.memory.questions.end(approval.id)
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
