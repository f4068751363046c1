import type { ConversationCore, Failure, PastTurn, TokenCounts, TurnOutcome } from '@parley/protocol'
import type { ThreadItem } from './thread-item.ts'

export interface TurnFacts {
  readonly id: string
  readonly outcome: TurnOutcome | null
  readonly failure?: Failure | undefined
  /** ms since the epoch; null where it is not known. */
  readonly startedAtMs: number | null
  readonly endedAtMs: number | null
  readonly items: readonly ThreadItem[]
  readonly itemsView: 'notLoaded' | 'summary' | 'full'
}

export function turnShape({ id, outcome, failure, startedAtMs, endedAtMs, items, itemsView }: TurnFacts) {
  return {
    id,
    rootTurnId: id,
    items,
    itemsView,
    status: outcome ?? 'inProgress',
    error: outcome === 'failed' ? turnError(failure) : null,
    startedAt: seconds(startedAtMs),
    completedAt: seconds(endedAtMs),
    durationMs: startedAtMs === null || endedAtMs === null ? null : Math.round(endedAtMs - startedAtMs),
  }
}

/** Returns a turn that runs: its items come one by one. */
export function runningTurnShape(id: string, startedAtMs: number | null) {
  return turnShape({ id, outcome: null, startedAtMs, endedAtMs: null, items: [], itemsView: 'notLoaded' })
}

export function pastTurnShape(turn: PastTurn, items: readonly ThreadItem[], itemsView: TurnFacts['itemsView']) {
  const { turnId: id, outcome, failure, startedAt: startedAtMs, endedAt: endedAtMs } = turn
  return turnShape({ id, outcome, failure, startedAtMs, endedAtMs, items, itemsView })
}

export function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1000)
}

/** Names of Codex for codes of failures; others are `other`. */
const infos: Readonly<Record<string, string>> = {
  contextTooLong: 'contextWindowExceeded',
  rateLimited: 'rateLimitExceeded',
  quotaExceeded: 'usageLimitExceeded',
  overloaded: 'serverOverloaded',
  auth: 'unauthorized',
  noCredentials: 'unauthorized',
  modelNotFound: 'modelNotFound',
  badRequest: 'badRequest',
}

export function turnError(failure: Failure | undefined) {
  return {
    message: failure?.message ?? 'The turn failed.',
    codexErrorInfo: infos[failure?.code ?? ''] ?? 'other',
    additionalDetails: null,
  }
}

export function usageShape(
  turnId: string,
  { total, last, contextWindow }: ConversationCore['usage'] & { readonly last: TokenCounts },
) {
  return {
    turnId,
    tokenUsage: { total: tokenShape(total), last: tokenShape(last), modelContextWindow: contextWindow },
  }
}

function tokenShape(counts: TokenCounts) {
  const { inputTokens, cachedInputTokens, cacheWriteTokens = 0, outputTokens, reasoningTokens } = counts
  return {
    totalTokens: inputTokens + outputTokens,
    inputTokens,
    cachedInputTokens,
    cacheWriteInputTokens: cacheWriteTokens,
    outputTokens,
    reasoningOutputTokens: reasoningTokens,
  }
}
