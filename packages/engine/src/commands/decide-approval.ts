import { looserSandbox } from '@parley/config'
import {
  type Actor,
  type AnswerProblem,
  type Answers,
  type Approval,
  answersProblem,
  type ConversationEvent,
  type FormField,
  type Item,
  isCall,
  type LimitedAnswer,
  modeOf,
  type ParamsOf,
  pairOf,
  permits,
  standingOutcome,
} from '@parley/protocol'
import { chosenMode } from '@parley/protocol/question'
import { isSecretName, type Redaction } from '@parley/redaction'
import { utf8Length } from '@parley/text'
import { reachOfYes, sealOf } from '../calls/approval-request.ts'
import { changeHint } from '../calls/changed-call.ts'
import { noticeItem } from '../conversation/notices.ts'
import { assertYesWithin } from '../limits/ceiling.ts'
import type { Guest } from '../limits/may-loosen.ts'
import { type LiveConversation, writable } from '../open/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'
import type { OpenQuestion } from '../session/session-memory.ts'
import { afterConfigured, configuredEvent } from './commands.ts'
import { notPending } from './not-pending.ts'

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
    throw rejection(
      'invalidParams',
      `"${decision}" is not one of the answers here: ${approval.decisions.join(', ')}.`,
      { field: 'decision' },
    )
  assertOfferedScope(approval, params)
  // A no is everybody's who may answer; a yes has the work go on in the mode of the conversation, too.
  if (permits(decision))
    assertYesWithin(rights.maxSandbox, looserSandbox(reachOfYes(approval), conversation.state.core.settings.sandbox))
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

/** Throws `notPermitted` for a rule of a client that may only tighten limits, or of a user: rules are those of the server. */
function assertMayAddRule({ mayLoosen, rights }: Guest): void {
  if (!mayLoosen)
    throw rejection('notPermitted', 'This client may only make limits stricter, and a rule would allow more.')
  if (!rights.has('operator'))
    throw rejection('notPermitted', 'A rule would hold for all users of this server. Say yes once, or for the session.')
}

/** Returns the change to the mode that the answer to a plan chooses; none where it is in force. Throws where it may not be chosen. */
function modeEvents(
  open: LiveConversation,
  { approval, answers }: { readonly approval: Approval; readonly answers: Answers },
  client: Pick<Guest, 'actor' | 'mayLoosen' | 'rights'>,
): ConversationEvent[] {
  const mode = chosenMode(approval, answers)
  if (mode === null || modeOf(open.conversation.state.core.settings) === mode.name) return []
  return [configuredEvent(open, pairOf(mode), client)]
}

/** Longest text in a form, in bytes: answers stay in the state until the call has run. */
const maxAnswerBytes = 8 * 1024

/** Returns the answers to the form of a question of the model. Throws `invalidParams` for answers that do not fit. */
function formAnswers({ roles }: LiveConversation, { form }: Approval, params: ParamsOf<'approval/decide'>) {
  const { decision, answers = {} } = params
  if (form === undefined || !permits(decision)) return {}
  const tooLong = (_: FormField, value: LimitedAnswer) =>
    utf8Length(String(value)) <= maxAnswerBytes ? null : `at most ${maxAnswerBytes} bytes fit`
  const problem = answersProblem(form.fields, answers, tooLong)
  if (problem !== null) throw misfit(problem)
  return { answers: hideSecretFields(answers, roles.record.redaction) }
}

function misfit({ field, message }: AnswerProblem) {
  return rejection('invalidParams', message, { field: `answers.${field}` })
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

/** Returns the seal by which a later process knows a yes of this home; nothing for other answers. */
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

interface Denial {
  readonly note?: string
  /** True when a client denied because no person is there to answer. */
  readonly unattended: boolean
}

/** Returns the reason of a denial as the model reads it. */
function denialText({ note, unattended }: Denial): string {
  if (unattended) return note ?? 'nobody is there to answer.'
  return note === undefined ? 'the user denied this.' : `the user denied this and says: ${note}`
}

/** Returns the outcome of a question of the model that was not answered, as JSON. It denies nothing, so no call is denied. */
function unansweredText({ decision, note, unattended }: Denial & { readonly decision: string }): string {
  if (unattended) return JSON.stringify({ outcome: 'declined', why: note ?? 'nobody is there to answer.' })
  const said = note === undefined ? {} : { note }
  return JSON.stringify({ outcome: decision === 'abort' ? 'cancelled' : 'declined', by: 'user', ...said })
}

/** Returns the outcome of a plan that was not taken up, as JSON. */
function keepPlanningText({ decision, note, unattended }: Denial & { readonly decision: string }): string {
  if (unattended) return JSON.stringify({ outcome: 'notChosen', why: note ?? 'nobody is there to choose.' })
  if (decision === 'abort') return JSON.stringify({ outcome: 'cancelled', by: 'user' })
  const next =
    note === undefined ? 'Ask what to change, or end your turn.' : 'Change the plan by the note, and propose it again.'
  return JSON.stringify({ outcome: 'keepPlanning', ...(note === undefined ? {} : { note }), next })
}

/** Returns the end of a denied call: denied, or with the result of its first attempt when a second one is denied. */
function deniedCall(
  { conversation }: LiveConversation,
  { id: approvalId, itemId, turnId, kind, rule, reason, facts }: Approval,
  denial: Denial & { decision: string; by: Actor },
): ConversationEvent[] {
  const about = conversation.state.core.open[itemId]
  if (about === undefined || !isCall(about.item)) return []
  const standing = standingOutcome(about)
  if (standing !== null) return [{ type: 'item.completed', turnId, item: withDeniedRetry(standing, denial) }]
  const { by, note, decision: answer } = denial
  const decision = {
    verdict: 'ask' as const,
    rule,
    reason,
    approvalId,
    answer,
    by,
    ...(note === undefined ? {} : { note }),
  }
  const modelText = `Not run: ${denialText(denial)}${changeHint(about.hooks)}`
  const known = facts === undefined ? {} : { facts }
  if (kind === 'question' || kind === 'plan') {
    const text = kind === 'plan' ? keepPlanningText(denial) : unansweredText(denial)
    const item: Item = { ...about.item, ...known, status: 'completed', decision, modelText: text }
    return [{ type: 'item.completed', turnId, item }]
  }
  return [{ type: 'item.completed', turnId, item: { ...about.item, ...known, status: 'denied', decision, modelText } }]
}

/** Returns the result of the first attempt with the denial of a second one added. */
function withDeniedRetry(item: Item, denial: Denial): Item {
  if (!isCall(item)) return item
  const { note, unattended } = denial
  const said = note === undefined ? '' : ` and says: ${note}`
  const text = unattended
    ? `Not run again with more rights: ${denialText(denial)}`
    : `The user denied running it again with more rights${said}.`
  return { ...item, modelText: `${item.modelText ?? ''}\n(${text})` }
}

/** Records the user's answer to a running call and passes it on. Throws `invalidParams` for answers that do not fit. */
function answerQuestion(
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

/**
 * Writes the rule of an `approvedAlways` into the user's policy file and returns the notice about it. The rule applies
 * at once in all conversations of this server. Throws `configInvalid` when it cannot be written, and the question stays.
 */
function addRule({ roles }: LiveConversation, { always, kind, turnId }: Approval): ConversationEvent {
  if (always === undefined) throw rejection('invalidParams', 'No rule goes with this question.', { field: 'decision' })
  const added = roles.people.userRules.add(always.rule)
  if ('problem' in added)
    throw rejection(
      'configInvalid',
      `The rule was not added: ${added.problem}. A yes for this once is still possible.`,
      {
        where: always.file,
      },
    )
  const title = `From now on allowed, in every folder, ${reaches(kind)}: ${always.label} (${always.file}:${added.line}).`
  const item = noticeItem(roles.record.ids.item(), { level: 'info', code: 'ruleAdded', title })
  return { type: 'item.completed', turnId, item }
}

function reaches(kind: Approval['kind']): string {
  if (kind === 'escalation') return 'outside the sandbox'
  return kind === 'network' ? 'with the network' : 'with or without a sandbox'
}
