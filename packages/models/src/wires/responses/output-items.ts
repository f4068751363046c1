import { isRecord, type JsonRecord } from '../json.ts'
import type { ModelEvent, ModelRequest } from '../../port/model-client.ts'
import { type CallIds, createCallIds, type CallProgress, createCallProgress } from '../tool-calls.ts'
import type { ExplainFault, WireFault } from '../wire.ts'
import * as z from 'zod'

/** A complete output item: kept verbatim for the next request, and told as far as its parts were not told yet. */
export function settleItem(state: ReadState, place: number, raw: unknown, out: ModelEvent[]): void {
  if (state.items.has(place)) return
  const item = outputItem().safeParse(raw)
  if (!item.success || !isRecord(raw)) {
    fail(state, { type: 'malformed', what: 'an output item' }, out)
    return
  }
  const callId = item.data.type === 'function_call' ? claimCall(state, place, item.data, out) : undefined
  state.items.set(place, item.data.type === 'function_call' ? callItem(raw, callId) : raw)
  if (item.data.type === 'message') tellTexts(state, place, item.data, out)
  if (item.data.type === 'reasoning') tellSummaries(state, place, item.data, out)
}

/** A call that was cut short, or only repeats another, is left out altogether: sent back, it would want a result. */
function claimCall(state: ReadState, place: number, item: OutputItem, out: ModelEvent[]): string | undefined {
  if (item.status === 'incomplete') return undefined
  const call = { callId: item.call_id ?? item.id ?? '', name: item.name ?? '', arguments: item.arguments || '{}' }
  const callId = state.callIds.claim(call)
  if (callId !== undefined) out.push({ type: 'call', part: partOf({ output_index: place }, 'call'), ...call, callId })
  return callId
}

function callItem(raw: JsonRecord, callId: string | undefined): JsonRecord | undefined {
  if (callId === undefined) return undefined
  return callId === raw['call_id'] ? raw : { ...raw, call_id: callId }
}

function tellTexts(state: ReadState, place: number, item: OutputItem, out: ModelEvent[]): void {
  for (const [nth, content] of (item.content ?? []).entries()) {
    const part = partOf({ output_index: place, content_index: nth }, 'text')
    out.push(...tellWhole(state, 'textDone', part, content.text ?? content.refusal ?? ''))
  }
}

/** Open models send their raw reasoning as content where others send summaries. */
function tellSummaries(state: ReadState, place: number, item: OutputItem, out: ModelEvent[]): void {
  const texts = item.summary?.length ? item.summary : (item.content ?? [])
  for (const [nth, { text }] of texts.entries()) {
    const part = partOf({ output_index: place, summary_index: nth }, 'reasoning')
    out.push(...tellWhole(state, 'reasoningDone', part, text ?? ''))
  }
}

export interface ReadState {
  readonly explain: ExplainFault
  readonly callIds: CallIds
  readonly progress: CallProgress
  /** Text and reasoning parts whose whole was told; their item repeats it. */
  readonly told: Set<string>
  /** Output items that are complete, by place; undefined for one that must not go back. */
  readonly items: Map<number, JsonRecord | undefined>
  finished: boolean
}

export function createReadState(request: ModelRequest, explain: ExplainFault): ReadState {
  return {
    explain,
    callIds: createCallIds(request.entries),
    progress: createCallProgress(),
    told: new Set(),
    items: new Map(),
    finished: false,
  }
}

export function fail(state: ReadState, fault: WireFault, out: ModelEvent[]): void {
  state.finished = true
  out.push({ type: 'failed', failure: state.explain(fault) })
}

/**
 * Parts are told apart by place, not by item id: some gateways change the id with every event.
 * Text counts its contents, reasoning its summaries.
 */
export function partOf(event: JsonRecord, kind: 'text' | 'reasoning' | 'call'): string {
  const place = event['output_index'] ?? 0
  if (kind === 'call') return `call-${place}`
  const nth = kind === 'text' ? event['content_index'] : (event['summary_index'] ?? event['content_index'])
  return `${kind}-${place}-${nth ?? 0}`
}

export function tellWhole(
  state: ReadState,
  type: 'textDone' | 'reasoningDone',
  part: string,
  text: string,
): ModelEvent[] {
  if (state.told.has(part) || text === '') return []
  state.told.add(part)
  return [{ type, part, text }]
}

/** Schemas are built on first use: the first delta must not wait for all of them. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const content = lazily(() =>
  z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() }),
)

/** An output item. The object itself goes back to the provider verbatim; these are the fields we read. */
const outputItem = lazily(() =>
  z.looseObject({
    type: z.string(),
    status: z.string().nullish(),
    content: z.array(content()).nullish(),
    summary: z.array(content()).nullish(),
    id: z.string().nullish(),
    call_id: z.string().nullish(),
    name: z.string().nullish(),
    arguments: z.string().nullish(),
  }),
)
type OutputItem = z.infer<ReturnType<typeof outputItem>>

const usage = lazily(() =>
  z.looseObject({
    input_tokens: z.number().catch(0),
    output_tokens: z.number().catch(0),
    input_tokens_details: z.looseObject({ cached_tokens: z.number().nullish() }).nullish().catch(null),
    output_tokens_details: z.looseObject({ reasoning_tokens: z.number().nullish() }).nullish().catch(null),
  }),
)

export const finalResponse = lazily(() =>
  z.looseObject({
    status: z.string().nullish(),
    output: z.array(z.unknown()).nullish(),
    incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
    usage: usage().nullish().catch(null),
  }),
)
export type FinalResponse = z.infer<ReturnType<typeof finalResponse>>
