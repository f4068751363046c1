import type { FailureCode, ModelFailure } from '../port/model-client.ts'
import type { RetryCounts } from '../port/provider.ts'

export const retryDefaults: RetryCounts = { requestMaxRetries: 4, streamMaxRetries: 5 }

export interface RetryLimits extends RetryCounts {
  readonly shortBudgetMs?: number
  readonly longBudgetMs?: number
}

/** Waits of a retry class: they double from `baseMs` to `capMs`, and end with the budget of all waits together. */
export const shortWaits = { baseMs: 250, capMs: 30_000, budgetMs: 5 * 60_000 }
const longWaits = { baseMs: 2_000, capMs: 60_000, budgetMs: 15 * 60_000 }

const brokenOff: ReadonlySet<FailureCode> = new Set(['streamCut', 'idleTimeout', 'malformedStream'])

interface FailedRequest {
  /** Failures of this request, the newest last. */
  readonly failures: readonly ModelFailure[]
  readonly limits: RetryLimits
  /** Random number in [0, 1), a parameter so that the plan is pure. */
  readonly random: number
  /** Time since the first of `failures`. A caller that starts anew after progress leaves out the failures before it. */
  readonly elapsedMs: number
}

type RetryPlan =
  | { readonly type: 'retry'; readonly delayMs: number; readonly attempt: number; readonly maxAttempts: number }
  | { readonly type: 'giveUp'; readonly because: 'notRetryable' | 'attempts' | 'budget' }

/** Decides whether and when to retry. Never waits less than the provider's hint; gives up on one beyond the budget. */
export function planRetry({ failures, limits, random, elapsedMs }: FailedRequest): RetryPlan {
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

interface UnreachedProvider {
  /** Number of tries in a row that did not reach the provider, at least one. */
  readonly tries: number
  /** Random number in [0, 1). */
  readonly random: number
  /** Time since the first of them. */
  readonly elapsedMs: number
  /** Time during which the provider is tried again. */
  readonly patienceMs: number
}

/** Returns the wait before the next try to reach a provider, the last one at the end of the patience; null after it. */
export function planNetworkWait({ tries, random, elapsedMs, patienceMs }: UnreachedProvider): number | null {
  const leftMs = patienceMs - elapsedMs
  return leftMs <= 0 ? null : Math.round(Math.min(leftMs, doubling(shortWaits, tries, random)))
}

/** Returns a doubling wait, half of it random. */
function doubling({ baseMs, capMs }: typeof shortWaits, attempt: number, random: number): number {
  return Math.min(capMs, baseMs * 2 ** (attempt - 1)) * (0.5 + random / 2)
}

/** Returns the wait before a further attempt; adds a little to a hint, so that many clients do not return at once. */
function delayAfter(failure: ModelFailure, attempt: number, random: number): number {
  const backoffMs = doubling(failure.retry === 'long' ? longWaits : shortWaits, attempt, random)
  const hintMs = failure.retryAfterMs
  return Math.round(hintMs === undefined ? backoffMs : hintMs + Math.min(1_000, hintMs / 10) * random)
}

/** Returns a sentence on the wait that the provider asks for; an empty text without such a wait or without hope. */
export function askedWaitText({ retry, retryAfterMs }: ModelFailure): string {
  if (retry === 'never' || retryAfterMs === undefined) return ''
  const seconds = Math.ceil(retryAfterMs / 1_000)
  const wait =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7_200
        ? `${Math.ceil(seconds / 60)} min`
        : `${Math.ceil(seconds / 3_600)} h`
  return ` It asks to wait ${wait}.`
}

function budgetOf(failure: ModelFailure, limits: RetryLimits): number {
  return failure.retry === 'long'
    ? (limits.longBudgetMs ?? longWaits.budgetMs)
    : (limits.shortBudgetMs ?? shortWaits.budgetMs)
}
