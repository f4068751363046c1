import type { FailureCode, ModelFailure } from '../port/model-client.ts'

export interface RetryLimits {
  /** Limit of retries after requests without an answer. */
  readonly requestMaxRetries: number
  /** Limit of retries after answers that broke off. */
  readonly streamMaxRetries: number
  readonly shortBudgetMs?: number
  readonly longBudgetMs?: number
}

export interface RetryQuestion {
  /** Failures of this request, the newest last. */
  readonly failures: readonly ModelFailure[]
  readonly limits: RetryLimits
  /** Random number in [0, 1), a parameter so that the plan is pure. */
  readonly random: number
  /** Time since the first of `failures`. A caller that starts anew after progress leaves out the failures before it. */
  readonly elapsedMs: number
}

export type RetryPlan =
  | { readonly type: 'retry'; readonly delayMs: number; readonly attempt: number; readonly maxAttempts: number }
  | { readonly type: 'giveUp'; readonly because: 'notRetryable' | 'attempts' | 'budget' }

const shortWaits = { baseMs: 250, capMs: 30_000, budgetMs: 5 * 60_000 }
const longWaits = { baseMs: 2_000, capMs: 60_000, budgetMs: 15 * 60_000 }

const brokenOff: ReadonlySet<FailureCode> = new Set(['streamCut', 'idleTimeout', 'malformedStream'])

/** Decides whether and when to retry. The wait is never shorter than the provider's hint; one beyond the budget gives up. */
export function planRetry({ failures, limits, random, elapsedMs }: RetryQuestion): RetryPlan {
  const newest = failures.at(-1)
  if (newest === undefined || newest.retry === 'never') return { type: 'giveUp', because: 'notRetryable' }
  const brokeOff = brokenOff.has(newest.code)
  const attempt = failures.filter((failure) => brokenOff.has(failure.code) === brokeOff).length
  const maxAttempts = brokeOff ? limits.streamMaxRetries : limits.requestMaxRetries
  if (attempt > maxAttempts) return { type: 'giveUp', because: 'attempts' }
  const delayMs = delayAfter(newest, attempt, random)
  return elapsedMs + delayMs > budgetOf(newest, limits)
    ? { type: 'giveUp', because: 'budget' }
    : { type: 'retry', delayMs, attempt, maxAttempts }
}

/** Returns a doubling wait, half of it random; adds a little to a hint, so that many clients do not return at once. */
function delayAfter(failure: ModelFailure, attempt: number, random: number): number {
  const { baseMs, capMs } = failure.retry === 'long' ? longWaits : shortWaits
  const backoffMs = Math.min(capMs, baseMs * 2 ** (attempt - 1)) * (0.5 + random / 2)
  const hintMs = failure.retryAfterMs
  return Math.round(hintMs === undefined ? backoffMs : hintMs + Math.min(1_000, hintMs / 10) * random)
}

function budgetOf(failure: ModelFailure, limits: RetryLimits): number {
  return failure.retry === 'long'
    ? (limits.longBudgetMs ?? longWaits.budgetMs)
    : (limits.shortBudgetMs ?? shortWaits.budgetMs)
}
