import {
  type Approval,
  type ApprovalId,
  answerIn,
  type ConversationEvent,
  type ConversationState,
  type EventOf,
  type ItemId,
  isCall,
} from '@parley/protocol'
import type { HookInput, HookInputOf } from '@parley/protocol/hooks'
import type { Conversation } from '../conversation/conversation.ts'
import type { HookMoment } from './conversation-hooks.ts'
import { callInput, commonInput } from './hook-input.ts'

/** Moment that notifies hooks, with their input. */
export interface ToldMoment {
  readonly moment: HookMoment
  readonly input: HookInput
  readonly itemId?: ItemId
  /** Approval that a hook may deny. */
  readonly approvalId?: ApprovalId
}

/** Fields about a call, by the approval that asks about it. */
export type AskedCalls = Map<ApprovalId, { readonly itemId: ItemId; readonly fields: ReturnType<typeof callInput> }>

type Source = Pick<Conversation, 'state' | 'view'>

/** Notes the call that an approval asks about; the answer may close it. */
export function noteAsked(asked: AskedCalls, { id, itemId }: Pick<Approval, 'id' | 'itemId'>, source: Source): void {
  const open = source.state.core.open[itemId]
  const call = source.view.calls.of(itemId)
  if (open === undefined || call === null || !isCall(open.item)) return
  const { arguments: changed } = open.hooks ?? {}
  const now = changed === undefined ? call : { ...call, name: open.item.tool, arguments: changed }
  asked.set(id, { itemId, fields: callInput(open.item, now) })
}

/** Returns the moments of an event, which was just recorded. */
export function momentsOf(event: ConversationEvent, source: Source, asked: AskedCalls): readonly ToldMoment[] {
  const { state } = source
  switch (event.type) {
    case 'approval.requested':
      noteAsked(asked, event.approval, source)
      return [...requested(event, state, asked), questionTold(event, state)]
    case 'approval.decided':
      return decided(event, state, asked)
    case 'turn.parked':
      return [notified(state, 'parked', { title: titleIn(state), message: event.reason })]
    case 'turn.ended':
      return [notified(state, 'turn_end', { title: titleIn(state), message: endText(event, state) })]
    default:
      return []
  }
}

/** Returns the moment at which a process leaves the conversation. */
export function sessionEnd(state: ConversationState): ToldMoment {
  return { moment: { on: 'SessionEnd', subject: '' }, input: { hook_event_name: 'SessionEnd', ...commonInput(state) } }
}

/** Returns the moment of a question that an earlier process asked, with the hooks that have ended about it. */
export function askedBefore(approval: Approval, state: ConversationState, asked: AskedCalls): readonly ToldMoment[] {
  const { askedHooks: ran = [] } = state.core.open[approval.itemId] ?? {}
  return requested({ approval }, state, asked).map((told) => ({ ...told, moment: { ...told.moment, ran } }))
}

function requested(
  { approval: { id, kind, reason } }: Pick<EventOf<'approval.requested'>, 'approval'>,
  state: ConversationState,
  asked: AskedCalls,
): readonly ToldMoment[] {
  const about = asked.get(id)
  if (about === undefined) return []
  const { itemId, fields } = about
  const input = { hook_event_name: 'PermissionRequest' as const, ...commonInput(state), ...fields, kind, reason }
  return [{ moment: { on: 'PermissionRequest', subject: fields.tool_name, itemId }, input, itemId, approvalId: id }]
}

function decided(
  { approvalId, decision, by }: EventOf<'approval.decided'>,
  state: ConversationState,
  asked: AskedCalls,
): readonly ToldMoment[] {
  const about = asked.get(approvalId)
  asked.delete(approvalId)
  if (about === undefined) return []
  const { itemId, fields } = about
  const how = { decision, by: by.title ?? by.name }
  const input = { hook_event_name: 'PermissionDecision' as const, ...commonInput(state), ...fields, ...how }
  return [{ moment: { on: 'PermissionDecision', subject: fields.tool_name, itemId }, input, itemId }]
}

function questionTold({ approval }: EventOf<'approval.requested'>, state: ConversationState): ToldMoment {
  const { kind, title, reason } = approval
  const type = kind === 'question' || kind === 'elicitation' ? 'question' : 'permission_prompt'
  return notified(state, type, { title, message: reason })
}

type Notification = HookInputOf<'Notification'>

function notified(
  state: ConversationState,
  type: Notification['notification_type'],
  text: Pick<Notification, 'title' | 'message'>,
): ToldMoment {
  const input = { hook_event_name: 'Notification' as const, ...commonInput(state), notification_type: type, ...text }
  return { moment: { on: 'Notification', subject: type }, input }
}

function titleIn({ core }: ConversationState): string {
  return core.meta.name ?? core.meta.title
}

const maxMessage = 2_000

function endText({ failure, outcome }: EventOf<'turn.ended'>, { window }: ConversationState): string {
  if (failure !== undefined) return failure.message
  if (outcome === 'interrupted') return 'Interrupted'
  const answer = answerIn(window.map(({ item }) => item)) ?? ''
  return answer.slice(0, maxMessage).toWellFormed()
}
