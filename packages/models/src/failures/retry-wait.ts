import { greatest } from '@parley/text'
import type { FailureCode, ModelFailure } from '../port/model-client.ts'

export interface RetryLimits {
  /** Limit of retries after requests without an answer. */
  readonly requestMaxRetries: number
  /** Limit of retries after answers that broke off. */
  readonly streamMaxRetries: number
  readonly shortBudgetMs?: number
  readonly longBudgetMs?: number
}

interface RetryQuestion {
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

interface NetworkQuestion {
  /** Number of tries in a row that did not reach the provider, at least one. */
  readonly tries: number
  /** Random number in [0, 1). */
  readonly random: number
  /** Time since the first of them. */
  readonly elapsedMs: number
  /** Time in which the provider is tried again. */
  readonly patienceMs: number
}

/** Returns the wait before a provider that is out of reach is tried again, the last time at the end of the patience; null after that. */
export function planNetworkWait({ tries, random, elapsedMs, patienceMs }: NetworkQuestion): number | null {
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

/** Returns a sentence on the wait that a provider asked for, for a failure that is not tried again; else nothing. */
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

export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>

interface HintSource {
  readonly headers: HeaderValues
  readonly message: string
  readonly nowMs: number
}

/** Returns the wait that a provider asks for, in whole milliseconds; undefined when it names none. */
export function readWaitHint(source: HintSource): number | undefined {
  const { headers, message, nowMs } = source
  const waitMs =
    plainNumber(header(headers, 'retry-after-ms'), 1) ??
    retryAfter(headers, nowMs) ??
    fromMessage(message) ??
    fromRateLimitHeaders(headers, nowMs)
  return waitMs === undefined ? undefined : Math.max(0, Math.ceil(waitMs))
}

/** Returns the milliseconds of a duration as providers write it: `120ms`, `1.5s`, `6m0s`, `1h2m3s`. */
export function readDuration(text: string): number | undefined {
  const pattern = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/
  const match = pattern.exec(text.trim())
  if (match === null || text.trim() === '') return undefined
  const [hours, minutes, seconds, millis] = match.slice(1).map((digits) => Number(digits ?? 0))
  return (hours ?? 0) * 3_600_000 + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1_000 + (millis ?? 0)
}

function retryAfter(headers: HeaderValues, nowMs: number): number | undefined {
  const value = header(headers, 'retry-after')
  if (value === undefined) return undefined
  const date = Date.parse(value)
  // The difference from the server's own clock is right even when the clock of this machine is wrong.
  const serverNow = Date.parse(header(headers, 'date') ?? '')
  const fromDate = Number.isNaN(date) ? undefined : date - (Number.isNaN(serverNow) ? nowMs : serverNow)
  return plainNumber(value, 1_000) ?? readDuration(value) ?? fromDate
}

/** Reads a wait such as `try again in 6m0s`, `retry in 2.5s`, `retry after 20 seconds`. */
function fromMessage(message: string): number | undefined {
  const after = /(?:try again|retry)(?: after| in) /i.exec(message)
  if (after === null) return undefined
  const rest = message.slice(after.index + after[0].length)
  const compact = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+(?!\w)/.exec(rest)
  if (compact !== null) return readDuration(compact[0])
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?(milli|sec|min)/i.exec(rest) ?? []
  const unitMs = { milli: 1, sec: 1_000, min: 60_000 }[unit.toLowerCase()]
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs
}

/** Reads the wait from rate limits that are used up; the reset of any other limit is no reason to wait. */
function fromRateLimitHeaders(headers: HeaderValues, nowMs: number): number | undefined {
  const waits = rateLimits.flatMap(([remaining, reset]) => {
    if (header(headers, remaining) !== '0') return []
    const at = header(headers, reset)
    return at === undefined ? [] : [resetToWait(at, nowMs)]
  })
  const known = waits.filter((wait) => wait !== undefined)
  return known.length === 0 ? undefined : greatest(known, known[0])
}

/** Headers with what is left of a limit and when it is full again: those of OpenAI and others, then of Anthropic. */
const rateLimits: readonly (readonly [string, string])[] = [
  ...['-requests', '-tokens', ''].map((of) => [`x-ratelimit-remaining${of}`, `x-ratelimit-reset${of}`] as const),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
    (of) => [`anthropic-ratelimit-${of}-remaining`, `anthropic-ratelimit-${of}-reset`] as const,
  ),
]

/** Reads a reset: a duration, a number of seconds, or a moment as a date or in epoch seconds or milliseconds. */
function resetToWait(reset: string, nowMs: number): number | undefined {
  const value = plainNumber(reset, 1)
  if (value === undefined) return readDuration(reset) ?? momentToWait(reset, nowMs)
  if (value > 1e11) return value - nowMs
  return value > 1e9 ? value * 1_000 - nowMs : value * 1_000
}

function momentToWait(moment: string, nowMs: number): number | undefined {
  const at = Date.parse(moment)
  return Number.isNaN(at) ? undefined : at - nowMs
}

function plainNumber(text: string | undefined, unitMs: number): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) * unitMs : undefined
}

function header(headers: HeaderValues, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}
