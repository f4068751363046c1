import type { EventOf } from '../schema/event.ts'
import type { TokenCounts } from '../schema/event-parts.ts'
import type { MessageId } from '../schema/ids.ts'
import type { QueuedMessage } from '../schema/input.ts'
import type { ModelChoice } from '../schema/settings.ts'
import type { ConversationCore, RequestResult, Turn } from '../schema/state.ts'
import { withoutChecked } from './checks.ts'
import { afterResponse, afterTurn } from './compactions.ts'
import { noTokens } from './conversation.ts'
import { withoutMomentsIn } from './hooks.ts'

export type TurnEvent = EventOf<
  | 'turn.started'
  | 'turn.parked'
  | 'turn.continued'
  | 'turn.ended'
  | 'model.requested'
  | 'model.responded'
  | 'retry.scheduled'
  | 'model.fellBack'
  | 'usage.updated'
>

export function reduceTurn(
  core: ConversationCore,
  event: TurnEvent,
  { at, seq }: { at: number; seq: number },
): ConversationCore {
  if (event.type === 'turn.started') return rememberContinue(startTurn(core, event, at), event, seq)
  const { turn } = core
  // A user can ask for a summary outside of turns, which costs the same.
  if (turn === null && event.type === 'usage.updated' && event.purpose !== undefined)
    return { ...core, usage: usageWith(core.usage, event) }
  if (turn === null || turn.id !== event.turnId) return core
  if (event.type === 'turn.ended') return endTurn(core, event, at)
  if (event.type === 'usage.updated') return addUsage(core, turn, event)
  if (event.type === 'turn.continued') return rememberContinue(continueTurn(core, turn), event, seq)
  const changed = { ...core, turn: changedTurn(turn, event) }
  return event.type === 'model.responded' ? afterResponse(changed) : changed
}

function startTurn(core: ConversationCore, event: EventOf<'turn.started'>, at: number): ConversationCore {
  const turn: Turn = {
    id: event.turnId,
    startedAt: at,
    phase: 'start',
    modelCalls: 0,
    calls: 0,
    parked: false,
    retry: null,
    usage: noTokens,
    denials: [],
    ...(event.outputSchema === undefined ? {} : { outputSchema: event.outputSchema }),
    ...(event.budget === undefined ? {} : { budget: event.budget, responses: 0 }),
    ...(event.purpose === undefined ? {} : { purpose: event.purpose }),
    ...(event.checks === undefined ? {} : { checks: event.checks }),
    ...(event.enforcement === undefined ? {} : { enforcement: event.enforcement }),
    ...(event.trigger === 'compaction' ? { trigger: event.trigger } : {}),
  }
  const inboxPaused = event.trigger !== 'inbox' && core.inboxPaused
  return { ...core, turn, inboxPaused, counts: { ...core.counts, turns: core.counts.turns + 1 } }
}

function endTurn(core: ConversationCore, event: EventOf<'turn.ended'>, at: number): ConversationCore {
  const { turnId: id, outcome, failure, usage, answerProblem, stopReason } = event
  const problem = answerProblem === undefined ? {} : { answerProblem }
  const purpose = core.turn?.purpose
  return {
    ...afterTurn(withoutMomentsIn(core, id)),
    meta: { ...core.meta, updatedAt: at },
    turn: null,
    lastTurn: {
      ...{ id, outcome, failure: failure ?? null },
      ...(purpose === undefined ? {} : { purpose }),
      ...(stopReason === undefined ? {} : { stopReason }),
      ...{ usage, ...problem, endedAt: at },
    },
    inboxPaused: core.inboxPaused || (outcome !== 'completed' && core.inbox.length > 0),
  }
}

/** Continues a parked turn; the limit that stopped it counts anew from the amount used so far. */
function continueTurn(core: ConversationCore, { limit, missingKey: _, ...turn }: Turn): ConversationCore {
  const next = { ...core, turn: { ...turn, parked: false } }
  return limit === undefined ? next : { ...next, limitsFrom: { ...core.limitsFrom, ...usedNow(core.usage)[limit] } }
}

function usedNow({ total, calls = 0 }: ConversationCore['usage']) {
  return {
    modelCalls: { modelCalls: calls },
    tokens: { tokens: total.inputTokens + total.outputTokens },
    costUsd: { costUsd: total.costUsd ?? 0 },
    price: { unpriced: true },
  } as const
}

function changedTurn(
  turn: Turn,
  event: EventOf<'turn.parked' | 'model.requested' | 'model.responded' | 'retry.scheduled' | 'model.fellBack'>,
): Turn {
  switch (event.type) {
    case 'turn.parked':
      return parkedTurn(turn, event)
    case 'model.requested': {
      const { goesOn: _, ...asked } = withoutChecked(withoutStop(turn))
      return { ...asked, phase: 'model', calls: 0, modelCalls: turn.modelCalls + 1, retry: null }
    }
    case 'model.responded': {
      const { toMake: _, ...made } = turn
      return { ...made, phase: 'calls', retry: null }
    }
    case 'retry.scheduled': {
      const { retryAt, attempt, attempts, failure, asked, network } = event
      const known = { ...(attempts === undefined ? {} : { attempts }), ...(asked === undefined ? {} : { asked }) }
      return { ...turn, retry: { retryAt, attempt, failure, ...known, ...(network === undefined ? {} : { network }) } }
    }
    case 'model.fellBack':
      return { ...turn, fallback: { modelProvider: event.modelProvider, model: event.model }, retry: null }
  }
}

function parkedTurn(turn: Turn, { limit, missingKey }: EventOf<'turn.parked'>): Turn {
  const waitsFor = { ...(limit === undefined ? {} : { limit }), ...(missingKey === undefined ? {} : { missingKey }) }
  return { ...turn, parked: true, ...waitsFor }
}

/** Provider of a conversation that began without a key: it plays a recording with setup instructions. */
export const unconfiguredProvider = 'unconfigured'

/** Returns the model for the next model call: the model of the settings, or a fallback that took over in this turn. */
export function modelInUse({ settings, turn }: Pick<ConversationCore, 'settings' | 'turn'>): ModelChoice {
  return turn?.fallback ?? { modelProvider: settings.modelProvider, model: settings.model }
}

function withoutStop({ stopReason: _, stopWords: _words, ...turn }: Turn): Turn {
  return turn
}

function withoutPause({ paused: _, ...turn }: Turn): Turn {
  return turn
}

function addUsage(core: ConversationCore, before: Turn, event: EventOf<'usage.updated'>): ConversationCore {
  const { stopReason, stopWords, purpose } = event
  const paused = event.paused === undefined ? {} : { paused: (before.paused ?? 0) + 1 }
  const turn = purpose === undefined ? { ...withoutPause(before), ...paused } : before
  return {
    ...core,
    turn: {
      ...(purpose === undefined ? withoutStop(turn) : turn),
      usage: addTokens(turn.usage, event.counts),
      ...(stopReason === undefined ? {} : { stopReason }),
      ...(stopWords === undefined ? {} : { stopWords }),
      ...(turn.responses === undefined ? {} : { responses: turn.responses + 1 }),
    },
    usage: usageWith(core.usage, event),
  }
}

function usageWith(
  usage: ConversationCore['usage'],
  { purpose, counts, contextWindow }: EventOf<'usage.updated'>,
): ConversationCore['usage'] {
  return {
    total: addTokens(usage.total, counts),
    last: purpose === undefined ? counts : usage.last,
    contextWindow: purpose === undefined ? (contextWindow ?? null) : usage.contextWindow,
    calls: (usage.calls ?? 0) + 1,
  }
}

/** Returns the sum of two counts. `isPartCost` marks a cost that lacks calls without a known price. */
export function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  const { cacheWriteTokens: aWritten, costUsd: aCost } = a
  const { cacheWriteTokens: bWritten, costUsd: bCost } = b
  const isPart = a.isPartCost === true || b.isPartCost === true || isUnpriced(a) || isUnpriced(b)
  const written = aWritten === undefined && bWritten === undefined ? undefined : (aWritten ?? 0) + (bWritten ?? 0)
  const cost = aCost === undefined && bCost === undefined ? undefined : (aCost ?? 0) + (bCost ?? 0)
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...(cost === undefined ? {} : { costUsd: Math.round(cost * nano) / nano }),
    ...(cost !== undefined && isPart ? { isPartCost: true } : {}),
  }
}

/** Precision of sums in parts of a dollar, against drift by rounding. */
const nano = 1_000_000_000

function isUnpriced({ costUsd, inputTokens, outputTokens }: TokenCounts): boolean {
  return costUsd === undefined && inputTokens + outputTokens > 0
}

const rememberedRequests = 1000

export type InboxEvent = EventOf<'message.queued' | 'message.edited' | 'message.removed' | 'message.consumed'>

export function reduceInbox(core: ConversationCore, event: InboxEvent, seq: number): ConversationCore {
  switch (event.type) {
    case 'message.queued': {
      const { message } = event
      const disposition = message.when === 'steer' ? 'steering' : 'queued'
      const queued = { ...core, inbox: [...core.inbox, message] }
      return rememberRequest(queued, { key: message.messageId, seq, turnId: core.turn?.id ?? null, disposition })
    }
    case 'message.edited':
      return {
        ...core,
        inbox: core.inbox.map((message) =>
          message.messageId === event.messageId ? editedMessage(message, event.content) : message,
        ),
      }
    case 'message.removed':
    case 'message.consumed':
      return takeFromInbox(core, event.messageId)
  }
}

/** Returns a message with other content, without the calls of its former content. */
function editedMessage({ calls: _, ...message }: QueuedMessage, content: QueuedMessage['content']): QueuedMessage {
  return { ...message, content }
}

/** Removes a message; also called when its `userMessage` item completes, as a crash may separate the two writes. */
export function takeFromInbox(core: ConversationCore, messageId: MessageId): ConversationCore {
  if (!core.inbox.some((message) => message.messageId === messageId)) return core
  const inbox = core.inbox.filter((message) => message.messageId !== messageId)
  return { ...core, inbox, inboxPaused: core.inboxPaused && inbox.length > 0 }
}

/** Records the turn that a client continued, or began from the inbox, with a key. */
function rememberContinue(
  core: ConversationCore,
  event: EventOf<'turn.started' | 'turn.continued'>,
  seq: number,
): ConversationCore {
  const { requestKey: key, turnId } = event
  return key === undefined ? core : rememberRequest(core, { key, seq, turnId, disposition: 'continued' })
}

/** Keeps the first result of a client's key, so that a repeated request gets it instead of running again. */
export function rememberRequest(core: ConversationCore, result: RequestResult): ConversationCore {
  if (core.requestKeys.some((known) => known.key === result.key)) return core
  return { ...core, requestKeys: [...core.requestKeys.slice(1 - rememberedRequests), result] }
}
