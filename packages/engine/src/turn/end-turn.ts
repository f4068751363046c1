import {
  type ConversationEvent,
  type Failure,
  type Item,
  type ItemId,
  interruptedCompaction,
  isCall,
  type OpenItem,
  type StopReason,
  standingOutcome,
  type TurnId,
} from '@parley/protocol'
import { unknownItem } from '../calls/attempt.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import type { Ids } from '../ports/clock-and-ids.ts'
import { type AbortReason, toldWhy } from '../tools/contract/tool.ts'

export type EndReason = 'completed' | AbortReason | Failure

function isFailure(why: EndReason): why is Failure {
  return typeof why === 'object' && 'code' in why
}

/** Returns the failure of a turn that a cut response ends; `said` are the provider's own words. */
function cutFailure(stopReason: StopReason, said: string | undefined): Failure | undefined {
  switch (stopReason) {
    case 'outputLimit':
      return {
        code: 'outputLimit',
        message: "The answer is cut: it reached the model's output limit. Say `go on`, or ask for it in parts.",
      }
    case 'filtered': {
      const words = said === undefined ? '' : ` It said: ${said}`
      const message = `The answer is cut: the provider's content filter stopped it.${words} Ask in other words.`
      return { code: 'filtered', message }
    }
    case 'context':
      return {
        code: 'contextTooLong',
        message:
          "The answer is cut: the conversation has filled the model's context window. Compact it (`/compact` in the terminal), then say `go on`; or use a model with a larger window.",
      }
    default:
      return undefined
  }
}

/** Ends the open turn in one write: closes its open items and records why it ended. */
export function endTurn(conversation: Conversation, ids: Pick<Ids, 'item'>, why: EndReason): void {
  recordEnd(conversation, ids, { why })
}

/**
 * Ends the open turn after its last response; one that was cut is a failure. `answerProblem` is where the answer violates
 * its schema; null when it does not.
 */
export function completeTurn(conversation: Conversation, ids: Pick<Ids, 'item'>, answerProblem: string | null): void {
  const { stopReason = 'done', stopWords } = conversation.state.core.turn ?? {}
  const cut = cutFailure(stopReason, stopWords)
  const problem = answerProblem === null ? {} : { answerProblem }
  recordEnd(conversation, ids, cut === undefined ? { why: 'completed', ...problem } : { why: cut })
}

interface End {
  readonly why: EndReason
  readonly answerProblem?: string
}

function recordEnd(conversation: Conversation, ids: Pick<Ids, 'item'>, { why, ...fields }: End): void {
  const { turn } = conversation.state.core
  if (turn === null) return
  const failure = isFailure(why) ? { failure: why } : {}
  const { id: turnId, usage, denials } = turn
  const stopReason = stopReasonOf(why)
  conversation.recordAll([
    ...closingEvents(conversation, turnId, why),
    ...notice(ids.item(), turnId, why),
    { type: 'turn.ended', turnId, outcome: outcomeOf(why), ...failure, stopReason, usage, denials, ...fields },
  ])
}

function outcomeOf(why: EndReason): 'completed' | 'interrupted' | 'failed' {
  if (isFailure(why)) return 'failed'
  return why === 'completed' ? 'completed' : 'interrupted'
}

const reasonsByCode: Readonly<Record<string, StopReason>> = {
  outputLimit: 'outputLimit',
  filtered: 'filtered',
  contextTooLong: 'context',
  maxTurns: 'budget',
  maxTokens: 'budget',
  maxCost: 'budget',
}

function stopReasonOf(why: EndReason): StopReason {
  if (isFailure(why)) return reasonsByCode[why.code] ?? 'failed'
  return why === 'completed' ? 'done' : 'interrupted'
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
  return { ...item, status: 'interrupted', modelText: `Not run: ${whyNotRun(why)}`, notRun: true }
}

function whyNotRun(why: EndReason): string {
  if (why === 'interrupted') return 'the user interrupted the turn.'
  const told = toldWhy(why)
  if (told !== null) return `the turn was stopped. ${told}`
  return why === 'shutdown' ? 'parley was closed.' : 'the turn had ended.'
}

function notice(id: ItemId, turnId: TurnId, why: EndReason): ConversationEvent[] {
  if (why === 'completed') return []
  return [{ type: 'item.completed', turnId, item: noticeItem(id, shownReason(why)) }]
}

function shownReason(why: AbortReason | Failure) {
  if (isFailure(why)) return { level: 'error' as const, code: why.code, title: why.message }
  if (typeof why !== 'string') return { level: 'info' as const, code: 'interrupted', title: why.why, why: why.why }
  const title = why === 'interrupted' ? 'Interrupted' : 'Stopped: parley was closed'
  return { level: 'info' as const, code: why, title }
}
