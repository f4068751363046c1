import { greatest } from '@parley/text'

export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>

/** Returns the wait that a provider asks for, in whole milliseconds; undefined when it names no wait. */
export function readWaitHint({
  headers,
  message,
  nowMs,
}: {
  readonly headers: HeaderValues
  readonly message: string
  readonly nowMs: number
}): number | undefined {
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

/** Pairs of headers: the rest of a limit, and the moment of its reset. OpenAI and others come first, then Anthropic. */
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
