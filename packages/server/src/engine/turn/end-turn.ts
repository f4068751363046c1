import {
  type ConversationEvent,
  type Failure,
  type Item,
  type ItemId,
  isCall,
  type OpenItem,
  standingOutcome,
  type TurnId,
} from '@parley/protocol'
import type { Ids } from '../../ports/ids.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import type { StopReason } from './turn-context.ts'

export type EndReason = 'completed' | StopReason | Failure

/** Ends the open turn in one write: closes its open items and records why it ended. */
export function endTurn(conversation: Conversation, ids: Pick<Ids, 'item'>, why: EndReason): void {
  recordEnd(conversation, ids, { why })
}

/** Completes the open turn. `answerProblem` is where the answer violates its schema; null when it does not. */
export function completeTurn(conversation: Conversation, ids: Pick<Ids, 'item'>, answerProblem: string | null): void {
  recordEnd(conversation, ids, { why: 'completed', ...(answerProblem === null ? {} : { answerProblem }) })
}

interface End {
  readonly why: EndReason
  readonly answerProblem?: string
}

function recordEnd(conversation: Conversation, ids: Pick<Ids, 'item'>, { why, ...fields }: End): void {
  const { turn } = conversation.state.core
  if (turn === null) return
  const failure = typeof why === 'string' ? {} : { failure: why }
  const { id: turnId, usage, denials } = turn
  conversation.recordAll([
    ...closingEvents(conversation, turnId, why),
    ...notice(ids.item(), turnId, why),
    { type: 'turn.ended', turnId, outcome: outcomeOf(why), ...failure, usage, denials, ...fields },
  ])
}

function outcomeOf(why: EndReason): 'completed' | 'interrupted' | 'failed' {
  if (typeof why !== 'string') return 'failed'
  return why === 'completed' ? 'completed' : 'interrupted'
}

function closingEvents(conversation: Conversation, turnId: TurnId, why: EndReason): ConversationEvent[] {
  const open = Object.values(conversation.state.core.open).filter((entry) => entry.turnId === turnId)
  return open.map((entry) => ({ type: 'item.completed', turnId, item: closed(entry, why) }))
}

function closed(open: OpenItem, why: EndReason): Item {
  const { item, executionStarted } = open
  const standing = standingOutcome(open)
  if (standing !== null) return standing
  if (!isCall(item)) return { ...item, status: 'interrupted' }
  if (executionStarted)
    return { ...item, status: 'unknown', modelText: 'This was started, but how it ended is unknown.' }
  return { ...item, status: 'interrupted', modelText: `Not run: ${whyNotRun(why)}` }
}

function whyNotRun(why: EndReason): string {
  if (why === 'interrupted') return 'the user interrupted the turn.'
  return why === 'shutdown' ? 'parley was closed.' : 'the turn had ended.'
}

function notice(id: ItemId, turnId: TurnId, why: EndReason): ConversationEvent[] {
  if (why === 'completed') return []
  return [{ type: 'item.completed', turnId, item: noticeItem(id, shownReason(why)) }]
}

function shownReason(why: StopReason | Failure) {
  if (typeof why !== 'string') return { level: 'error' as const, code: why.code, title: why.message }
  const title = why === 'interrupted' ? 'Interrupted' : 'Stopped: parley was closed'
  return { level: 'info' as const, code: why, title }
}
