import * as z from 'zod'
import { isTerminal, type ModelEvent, zeroUsage } from '../../port/model-client.ts'

const outcomes = ['ok', 'failed', 'denied', 'deniedWithNote'] as const
export type CallOutcome = (typeof outcomes)[number]

/** Response of a recording; `choose-response.ts` decides which one is played. */
export interface RecordedResponse {
  readonly id: string
  readonly when?: { readonly call: string; readonly outcome: CallOutcome }
  /** True for the response that is played, any number of times, where no other fits. */
  readonly otherwise?: boolean
  readonly events: readonly ModelEvent[]
  /** Wait before the first event of paced play. */
  readonly delayMs?: number
  readonly request?: RequestDigest
}

/** Request as hashes. Lists only the entries that the previous line does not have. */
export interface RequestDigest {
  readonly sha256: string
  readonly model: string
  readonly effort?: string
  readonly outputSchema?: string
  readonly instructions: string
  readonly tools: string
  /** Number of entries that are the same as in the previous line. */
  readonly from: number
  readonly entries: readonly string[]
}

export type ParsedRecording =
  | { readonly type: 'recording'; readonly responses: readonly RecordedResponse[] }
  | { readonly type: 'unreadable'; readonly problem: string }

const count = z.number().int().nonnegative()
const usage = z.object({
  inputTokens: count,
  cachedInputTokens: count,
  cacheWriteTokens: count.exactOptional(),
  outputTokens: count,
  reasoningTokens: count,
})
const failure = z.looseObject({ code: z.string(), message: z.string() })
const spoken = z.object({ type: z.enum(['textDelta', 'textDone', 'pictureText']), part: z.string(), text: z.string() })
const reasoned = z.object({
  type: z.enum(['reasoningDelta', 'reasoningDone']),
  part: z.string(),
  text: z.string(),
  raw: z.exactOptional(z.literal(true)),
})
const called = z.object({
  type: z.literal('call'),
  part: z.string(),
  callId: z.string(),
  name: z.string(),
  arguments: z.string(),
})
const pictured = z.object({ type: z.literal('picture'), part: z.string(), mediaType: z.string(), base64: z.string() })
const completed = z.object({
  type: z.literal('completed'),
  parts: z.array(z.unknown()).default([]),
  usage: usage.default(zeroUsage),
  stop: z.enum(['stop', 'length', 'context', 'filter', 'paused']).default('stop'),
})
const event = z.union([
  spoken,
  reasoned,
  called,
  pictured,
  completed,
  z.object({ type: z.literal('failed'), failure }),
  z.object({ type: z.literal('aborted') }),
])
const digest = z.object({
  sha256: z.string(),
  model: z.string(),
  effort: z.exactOptional(z.string()),
  outputSchema: z.exactOptional(z.string()),
  instructions: z.string(),
  tools: z.string(),
  from: count,
  entries: z.array(z.string()),
})
const line = z.object({
  id: z.string().min(1),
  when: z.exactOptional(z.object({ call: z.string(), outcome: z.enum(outcomes) })),
  otherwise: z.exactOptional(z.boolean()),
  events: z.array(event),
  delayMs: z.exactOptional(z.number().nonnegative()),
  request: z.exactOptional(digest),
})

/** Parses JSONL. Omits responses that broke off: the response after them was their retry. */
export function parseRecording(text: string): ParsedRecording {
  const responses: RecordedResponse[] = []
  const ids = new Set<string>()
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue
    const parsed = readLine(source)
    if (typeof parsed === 'string') return { type: 'unreadable', problem: `line ${index + 1}: ${parsed}` }
    if (ids.has(parsed.id))
      return { type: 'unreadable', problem: `line ${index + 1}: the id "${parsed.id}" is used twice` }
    ids.add(parsed.id)
    const whole = parsed.events.flatMap((made) => (made.type === 'failed' || made.type === 'aborted' ? [] : [made]))
    if (whole.length === parsed.events.length) responses.push({ ...parsed, events: endWithCompleted(whole) })
  }
  return { type: 'recording', responses }
}

function readLine(source: string): z.infer<typeof line> | string {
  try {
    const parsed = line.safeParse(JSON.parse(source))
    return parsed.success ? parsed.data : z.prettifyError(parsed.error).replace(/\s+/g, ' ')
  } catch {
    return 'not JSON'
  }
}

/** Adds the end that a response written by hand may lack. */
function endWithCompleted(events: readonly ModelEvent[]): readonly ModelEvent[] {
  if (events.some(isTerminal)) return events
  return [...events, { type: 'completed', parts: [], usage: zeroUsage, stop: 'stop' }]
}
