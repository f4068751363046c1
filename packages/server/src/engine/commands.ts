import type { Actor, ContentItem, ConversationEvent, InputItem, ParamsOf, SettingsPatch } from '@parley/protocol'
import { tierOf } from '../config/settings-from-config.ts'
import { answerQuestion } from './answer-question.ts'
import { startInboxTurn } from './inbox-events.ts'
import { isCallItem } from './is-call-item.ts'
import type { OpenConversation } from './open-conversation.ts'
import { refusal } from './refusal.ts'
import { takeContent, textOnly } from './take-content.ts'
import { assertFits } from './user-message.ts'
import { whoAnswered } from './who-answered.ts'

/** The first answer wins; the events that follow from it are in the same write. */
export function decideApproval(
  open: OpenConversation,
  params: ParamsOf<'approval/decide'>,
  by: Actor,
): { seq: number } {
  const { conversation, driver } = writable(open)
  const { approvalId, decision, note } = params
  const approval = conversation.state.core.approvals[approvalId]
  if (approval?.state !== 'pending') throw notPending(open, approvalId)
  if (!approval.decisions.includes(decision))
    throw refusal('invalidParams', `"${decision}" is not one of the answers here: ${approval.decisions.join(', ')}.`, {
      field: 'decision',
    })
  if (approval.kind === 'elicitation') {
    const question = open.bench.questions.byApproval.get(approvalId)
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
  const isYes = decision === 'approved' || decision === 'approvedForSession'
  const [decided] = conversation.recordAll(isYes ? [answer] : [answer, ...declined(open, approvalId, answer)])
  open.presence.answered(approvalId, { by, decision })
  if (decision === 'abort') driver.interrupt()
  driver.wake()
  return { seq: decided?.seq ?? 0 }
}

function notPending(open: OpenConversation, approvalId: string) {
  const answered = whoAnswered(open, approvalId)
  if (answered === null)
    return refusal('approvalNotPending', `Approval ${approvalId} is not pending: it was answered or withdrawn.`)
  const { who: decidedBy, decision } = answered
  return refusal('approvalNotPending', `${decidedBy} already answered: ${decision}.`, { decidedBy, decision })
}

function declined(
  open: OpenConversation,
  approvalId: string,
  answer: { decision: string; by: Actor; note?: string },
): ConversationEvent[] {
  const { core } = open.conversation.state
  const approval = core.approvals[approvalId]
  const item = approval === undefined ? undefined : core.open[approval.itemId]?.item
  if (approval === undefined || item === undefined || !isCallItem(item)) return []
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
  const modelText = note === undefined ? 'Not run: the user declined.' : `Not run: the user declined and says: ${note}`
  return [{ type: 'item.completed', turnId, item: { ...item, status: 'declined', decision, modelText } }]
}

export function interruptTurn(open: OpenConversation, turnId: string | undefined): { interrupted: boolean } {
  const running = writable(open).conversation.state.core.turn
  if (turnId !== undefined && running !== null && running.id !== turnId) {
    throw refusal('turnMismatch', `Turn ${turnId} is not running; ${running.id} is.`, { turnId: running.id })
  }
  const interrupted = open.driver.interrupt()
  return { interrupted: interrupted || open.shell.interrupt() }
}

/** A parked turn goes on, or a paused inbox is sent. */
export function continueConversation(open: OpenConversation, by: Actor): { continued: boolean } {
  const { conversation, driver, bench } = writable(open)
  const { turn, inbox, inboxPaused } = conversation.state.core
  if (turn?.parked === true) conversation.record({ type: 'turn.continued', turnId: turn.id, by })
  else if (turn === null && inboxPaused && inbox[0] !== undefined)
    conversation.recordAll(startInboxTurn(bench.ids, inbox[0]))
  else return { continued: false }
  driver.wake()
  return { continued: true }
}

export async function editQueued(
  open: OpenConversation,
  params: ParamsOf<'conversation/inbox/edit'>,
  by: Actor,
): Promise<{ seq: number }> {
  const { messageId } = params
  assertFits(params.content)
  const content = await contentOf(queued(open, messageId), params.content)
  return { seq: queued(open, messageId).record({ type: 'message.edited', messageId, content, by }).seq }
}

async function contentOf({ sideFiles }: OpenConversation['conversation'], input: InputItem[]): Promise<ContentItem[]> {
  return textOnly(input) ?? (await takeContent(input, sideFiles))
}

export function removeQueued(open: OpenConversation, messageId: string, by: Actor): { seq: number } {
  return { seq: queued(open, messageId).record({ type: 'message.removed', messageId, by }).seq }
}

function queued(open: OpenConversation, messageId: string) {
  const { conversation } = writable(open)
  if (conversation.state.core.inbox.some((message) => message.messageId === messageId)) return conversation
  throw refusal('messageNotQueued', `Message ${messageId} is not waiting: it was sent or taken back.`)
}

/** Effective at the next model call; policy and sandbox at the next decision. */
export function configure(open: OpenConversation, settings: SettingsPatch, by: Actor): { seq: number } {
  const { conversation } = writable(open)
  const change = settings.sandbox === undefined ? settings : { ...settings, tier: tierOf(settings.sandbox) }
  if (conversation.started)
    return { seq: conversation.record({ type: 'conversation.configured', settings: change, by }).seq }
  conversation.redraft(change)
  return { seq: 0 }
}

export function writable(open: OpenConversation): OpenConversation {
  if (open.conversation.readOnly) {
    throw refusal('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
  }
  if (open.driver.defective) {
    throw refusal('internal', 'This conversation cannot go on in this process. Start parley anew and resume it.')
  }
  return open
}
