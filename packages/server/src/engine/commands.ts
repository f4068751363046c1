import {
  type Actor,
  type Approval,
  type ContentItem,
  type ConversationEvent,
  type InputItem,
  type Item,
  isCall,
  type ParamsOf,
  type SettingsPatch,
  standingOutcome,
} from '@parley/protocol'
import { addRule, answerQuestion, whoAnswered } from './calls/approval-answers.ts'
import { startInboxTurn } from './inbox-events.ts'
import { assertInboxRoom } from './inbox-room.ts'
import { keepLongWaiting, longWaiting } from './keep-long-waiting.ts'
import { assertUnderCeiling } from './limits/ceiling.ts'
import { fittingMode, wholeSystemText, workspaceOf } from './limits/workspace-folders.ts'
import type { OpenConversation } from './open-conversation.ts'
import { rejection } from './refusal.ts'
import { shortTexts, takeContent } from './take-content.ts'
import { assertFits } from './user-message.ts'

/** The first answer wins; the events that follow from it are in the same write. */
export function decideApproval(
  open: OpenConversation,
  params: ParamsOf<'approval/decide'>,
  by: Actor,
): { seq: number } {
  const { conversation, driver } = writable(open)
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
  const [decided] = conversation.recordAll([answer, ...consequences(open, approval, { ...answer, unattended })])
  open.presence.answered(approvalId, { by, decision })
  if (decision === 'abort') driver.interrupt()
  driver.wake()
  return { seq: decided?.seq ?? 0 }
}

/** What the answer means at once; the rule of a yes for always is written before the yes is taken. */
function consequences(
  open: OpenConversation,
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

function notPending(open: OpenConversation, approvalId: string) {
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

/** Whose no it is, for the model. */
function denialText({ note, unattended }: No): string {
  if (unattended) return note ?? 'nobody is there to answer.'
  return note === undefined ? 'the user denied this.' : `the user denied this and says: ${note}`
}

function denied(
  open: OpenConversation,
  approvalId: string,
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

/** It has run once, and how that ended is what it comes to. */
function leftAsItWas(item: Item, answer: No): Item {
  if (!isCall(item)) return item
  const { note, unattended } = answer
  const said = note === undefined ? '' : ` and says: ${note}`
  const refused = unattended
    ? `Not run again with more rights: ${denialText(answer)}`
    : `The user denied running it again with more rights${said}.`
  return { ...item, modelText: `${item.modelText ?? ''}\n(${refused})` }
}

export function interruptTurn(open: OpenConversation, turnId: string | undefined): { interrupted: boolean } {
  const running = writable(open).conversation.state.core.turn
  if (turnId !== undefined && running !== null && running.id !== turnId) {
    throw rejection('turnMismatch', `Turn ${turnId} is not running; ${running.id} is.`, { turnId: running.id })
  }
  const interrupted = open.driver.interrupt()
  return { interrupted: interrupted || open.shell.interrupt() }
}

interface Continued {
  readonly continued: boolean
}

/** A parked turn goes on, or a paused inbox is sent. */
export function continueConversation(open: OpenConversation, by: Actor): Continued | Promise<Continued> {
  const { conversation, driver, bench } = writable(open)
  const { turn, inbox, inboxPaused } = conversation.state.core
  const long = turn === null && inboxPaused ? longWaiting(inbox.slice(0, 1)) : null
  if (long !== null) return keepLongWaiting(open, long).then(() => continueConversation(open, by))
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
  queued(open, messageId)
  const content = await contentOf(open, params.content)
  const conversation = queued(open, messageId)
  assertInboxRoom(conversation.state, { messageId, content })
  return { seq: conversation.record({ type: 'message.edited', messageId, content, by }).seq }
}

async function contentOf({ conversation, bench }: OpenConversation, input: InputItem[]): Promise<ContentItem[]> {
  const { sideFiles } = conversation
  return shortTexts(input) ?? (await takeContent(input, { sideFiles, redact: bench.redaction.text }))
}

export function removeQueued(open: OpenConversation, messageId: string, by: Actor): { seq: number } {
  return { seq: queued(open, messageId).record({ type: 'message.removed', messageId, by }).seq }
}

function queued(open: OpenConversation, messageId: string) {
  const { conversation } = writable(open)
  if (conversation.state.core.inbox.some((message) => message.messageId === messageId)) return conversation
  throw rejection('messageNotQueued', `Message ${messageId} is not waiting: it was sent or taken back.`)
}

/** Effective at the next model call; policy and sandbox at the next decision. */
export function configure(open: OpenConversation, settings: SettingsPatch, by: Actor): { seq: number } {
  const { conversation } = writable(open)
  assertUnderCeiling(settings, conversation.state.core.settings, open.ceiling)
  assertModeFits(settings.sandbox, open)
  const change =
    settings.sandbox === undefined
      ? settings
      : { ...settings, enforcement: open.limits.enforcementFor(settings.sandbox) }
  const seq = configured(conversation, change, by)
  open.mcp.relimit()
  return { seq }
}

function configured(conversation: OpenConversation['conversation'], settings: SettingsPatch, by: Actor): number {
  if (conversation.started) return conversation.record({ type: 'conversation.configured', settings, by }).seq
  conversation.redraft(settings)
  return 0
}

function assertModeFits(sandbox: SettingsPatch['sandbox'], { conversation }: OpenConversation): void {
  const { environment } = conversation.state.core.settings
  const { roots } = workspaceOf(conversation.state)
  if (sandbox === undefined || environment !== undefined || fittingMode({ roots, sandbox }) === sandbox) return
  throw rejection('invalidParams', wholeSystemText, { field: 'sandbox' })
}

export function writable(open: OpenConversation): OpenConversation {
  if (open.conversation.readOnly) {
    throw rejection('readOnly', 'This is a read-only view. Fork the conversation to go on from here.')
  }
  if (open.driver.defective) {
    throw rejection('internal', 'This conversation cannot go on in this process. Start parley anew and resume it.')
  }
  return open
}
