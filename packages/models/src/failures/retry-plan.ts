import type { FailureCode, ModelFailure } from '../port/model-client.ts'

export interface RetryLimits {
  /** For requests that brought no answer. */
  readonly requestMaxRetries: number
  /** For answers that broke off. */
  readonly streamMaxRetries: number
  readonly shortBudgetMs?: number
  readonly longBudgetMs?: number
}

export interface RetryQuestion {
  /** Of this request, oldest first, the newest one last. */
  readonly failures: readonly ModelFailure[]
  readonly limits: RetryLimits
  /** In [0, 1), handed in so that the plan is pure. */
  readonly random: number
  /** Since the first of `failures`; a caller to whom progress earns new patience leaves out what came before it. */
  readonly elapsedMs: number
}

export type RetryPlan =
  | { readonly type: 'retry'; readonly delayMs: number; readonly attempt: number; readonly maxAttempts: number }
  | { readonly type: 'giveUp'; readonly because: 'notRetryable' | 'attempts' | 'budget' }

const SHORT = { baseMs: 250, capMs: 30_000, budgetMs: 5 * 60_000 }
const LONG = { baseMs: 2_000, capMs: 60_000, budgetMs: 15 * 60_000 }

const BROKE_OFF: ReadonlySet<FailureCode> = new Set(['streamCut', 'idleTimeout', 'malformedStream'])

/** Pure: when to ask again, if at all. The provider's hint is never undercut; a hint beyond the budget ends the attempts. */
export function planRetry({ failures, limits, random, elapsedMs }: RetryQuestion): RetryPlan {
  const newest = failures.at(-1)
  if (newest === undefined || newest.retry === 'never') return { type: 'giveUp', because: 'notRetryable' }
  const brokeOff = BROKE_OFF.has(newest.code)
  const attempt = failures.filter((failure) => BROKE_OFF.has(failure.code) === brokeOff).length
  const maxAttempts = brokeOff ? limits.streamMaxRetries : limits.requestMaxRetries
  if (attempt > maxAttempts) return { type: 'giveUp', because: 'attempts' }
  const delayMs = delayAfter(newest, attempt, random)
  return elapsedMs + delayMs > budgetOf(newest, limits)
    ? { type: 'giveUp', because: 'budget' }
    : { type: 'retry', delayMs, attempt, maxAttempts }
}

/** Doubling with half of it random; on top of a hint only a little, so that many clients do not return at once. */
function delayAfter(failure: ModelFailure, attempt: number, random: number): number {
  const { baseMs, capMs } = failure.retry === 'long' ? LONG : SHORT
  const backoffMs = Math.min(capMs, baseMs * 2 ** (attempt - 1)) * (0.5 + random / 2)
  const hintMs = failure.retryAfterMs
  return Math.round(hintMs === undefined ? backoffMs : hintMs + Math.min(1_000, hintMs / 10) * random)
}

function budgetOf(failure: ModelFailure, limits: RetryLimits): number {
  return failure.retry === 'long' ? (limits.longBudgetMs ?? LONG.budgetMs) : (limits.shortBudgetMs ?? SHORT.budgetMs)
}
