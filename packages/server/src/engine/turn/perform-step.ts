import {
  type ConversationEvent,
  type Failure,
  type Item,
  type ItemId,
  isCall,
  type OpenItem,
  type QueuedMessage,
  standingOutcome,
  type TurnId,
} from '@parley/protocol'
import type { Step } from '../../core/next-step.ts'
import type { Ids } from '../../ports/clock-and-ids.ts'
import { unknownItem } from '../calls/attempt.ts'
import { runCall } from '../calls/run-call.ts'
import { interruptedCompaction, runCompaction } from '../compaction/run-compaction.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import { keepLongWaiting, longWaiting } from '../messages/attachments.ts'
import { findAnswerProblem } from '../messages/output-schema.ts'
import { consumedMessage, startInboxTurn } from '../messages/user-messages.ts'
import { callModel } from './call-model.ts'
import type { StopReason, TurnContext } from './turn-context.ts'

type ActiveStep = Exclude<Step, { kind: 'await' }>

/** Performs one step. Resolves to the failure that ends the turn, or null. */
export async function performStep(context: TurnContext, step: ActiveStep): Promise<Failure | null> {
  const { conversation, modules } = context
  const long = longWaiting(messagesOf(step))
  if (long !== null) {
    await keepLongWaiting(context, long)
    return null
  }
  switch (step.kind) {
    case 'startTurn':
      conversation.recordAll(startInboxTurn(modules.ids, step.message))
      return null
    case 'callModel':
      consume(context, step.steering)
      return await callModel(context)
    case 'runCalls':
      await runTogether(context, step.itemIds)
      return null
    case 'compact':
      return await runCompaction(context, step.item)
    case 'endTurn':
      completeTurn(conversation, modules.ids, await findAnswerProblem(conversation.state))
      return null
  }
}

/** Returns the waiting messages that the step moves into the turn. */
function messagesOf(step: ActiveStep): readonly QueuedMessage[] {
  if (step.kind === 'startTurn') return [step.message]
  return step.kind === 'callModel' ? step.steering : []
}

function consume({ conversation, modules }: TurnContext, messages: readonly QueuedMessage[]): void {
  const turnId = conversation.state.core.turn?.id
  if (messages.length === 0 || turnId === undefined) return
  conversation.recordAll(
    messages.flatMap((message): ConversationEvent[] => consumedMessage(modules.ids, turnId, message)),
  )
}

/** Runs calls together. Waits for all before it rejects, so that none continues unobserved. */
async function runTogether(context: TurnContext, itemIds: readonly ItemId[]): Promise<void> {
  const ends = await Promise.allSettled(itemIds.map((itemId) => runCall(context, itemId)))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

export type EndReason = 'completed' | StopReason | Failure

/** Ends the open turn in one write: closes its open items and records why it ended. */
export function endTurn(conversation: Conversation, ids: Pick<Ids, 'item'>, why: EndReason): void {
  recordEnd(conversation, ids, { why })
}

/** Completes the open turn. `answerProblem` is where the answer violates its schema; null when it does not. */
function completeTurn(conversation: Conversation, ids: Pick<Ids, 'item'>, answerProblem: string | null): void {
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
  if (item.type === 'contextCompaction') return interruptedCompaction(item)
  if (!isCall(item)) return { ...item, status: 'interrupted' }
  if (executionStarted) return unknownItem(item)
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
