import { parseRecord } from '@parley/text'
import * as z from 'zod'
import {
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type TokenUsage,
  zeroUsage,
} from '../../port/model-client.ts'
import type { ExplainFault, WireReader } from '../../port/wire.ts'
import { fail, notJson } from '../event-reader.ts'
import { type JsonRecord, lazily, numberAt, recordAt, stringAt } from '../json.ts'
import { readErrorRecord } from '../openai-api.ts'
import { filtersIn, stopWords } from '../stop-words.ts'
import { addItem, createPartialResponse, type PartialResponse, partOf, sendWhole } from './output-items.ts'

type Handler = (state: PartialResponse, event: JsonRecord, out: ModelEvent[]) => void

export function createResponsesReader(request: ModelRequest, explain: ExplainFault): WireReader {
  const state = createPartialResponse(request, explain)
  return {
    read(data, out) {
      if (state.finished || data === '[DONE]') return
      const event = parseRecord(data)
      if (event === undefined) fail(state, notJson, out)
      else readEvent(state, event, out)
    },
    end(out) {
      if (!state.finished) fail(state, { type: 'cut' }, out)
    },
  }
}

function readEvent(state: PartialResponse, event: JsonRecord, out: ModelEvent[]): void {
  const { type, delta } = event
  // The hot path: nearly every event is this one, and a schema would slow it down.
  if (type === 'response.output_text.delta' && typeof delta === 'string') {
    if (delta !== '') out.push({ type: 'textDelta', part: partOf(event, 'text'), text: delta })
    return
  }
  if (typeof type === 'string') handlers.get(type)?.(state, event, out)
  else if (event['object'] === 'response') finish(state, event, out)
  else if (event['error'] !== undefined) refuse(state, event, out)
}

const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['response.refusal.delta', (_state, event, out) => pushDelta('text', event, out)],
  ['response.reasoning_summary_text.delta', (_state, event, out) => pushDelta('reasoning', event, out)],
  ['response.reasoning_text.delta', (_state, event, out) => pushDelta('raw', event, out)],
  ['response.output_text.done', (state, event, out) => pushWhole(state, 'text', event, out)],
  ['response.refusal.done', (state, event, out) => pushWhole(state, 'text', event, out)],
  ['response.reasoning_summary_text.done', (state, event, out) => pushWhole(state, 'reasoning', event, out)],
  ['response.reasoning_text.done', (state, event, out) => pushWhole(state, 'raw', event, out)],
  ['response.output_item.added', beginItem],
  ['response.function_call_arguments.delta', growCall],
  ['response.custom_tool_call_input.delta', growCall],
  ['response.output_item.done', (state, event, out) => addItem(state, indexOf(state, event), event['item'], out)],
  ['response.completed', (state, event, out) => finish(state, event['response'], out)],
  ['response.incomplete', (state, event, out) => finish(state, event['response'], out)],
  ['response.failed', (state, event, out) => refuse(state, recordAt(event, 'response') ?? event, out)],
  ['error', refuse],
])

function indexOf(state: PartialResponse, event: JsonRecord): number {
  return numberAt(event, 'output_index') ?? state.items.size
}

type TextKind = 'text' | 'reasoning' | 'raw'

function pushDelta(kind: TextKind, event: JsonRecord, out: ModelEvent[]): void {
  const text = stringAt(event, 'delta') ?? ''
  const part = partOf(event, kind)
  if (text === '') return
  if (kind === 'text') out.push({ type: 'textDelta', part, text })
  else out.push({ type: 'reasoningDelta', part, text, ...(kind === 'raw' ? { raw: true } : {}) })
}

function pushWhole(state: PartialResponse, kind: TextKind, event: JsonRecord, out: ModelEvent[]): void {
  const text = stringAt(event, 'text') ?? stringAt(event, 'refusal') ?? ''
  for (const sent of sendWhole(state, `${kind}Done`, partOf(event, kind), text)) out.push(sent)
}

function beginItem(state: PartialResponse, event: JsonRecord, out: ModelEvent[]): void {
  const item = recordAt(event, 'item')
  const type = item?.['type']
  if (item !== undefined && (type === 'function_call' || type === 'custom_tool_call'))
    state.progress.begin(partOf(event, 'call'), stringAt(item, 'name'), out)
}

function growCall(state: PartialResponse, event: JsonRecord, out: ModelEvent[]): void {
  state.progress.grow(partOf(event, 'call'), stringAt(event, 'delta') ?? '', out)
}

function refuse(state: PartialResponse, record: JsonRecord, out: ModelEvent[]): void {
  fail(state, { type: 'refused', error: readErrorRecord(record) }, out)
}

function finish(state: PartialResponse, raw: unknown, out: ModelEvent[]): void {
  const response = finalResponse().safeParse(raw)
  if (!response.success) {
    fail(state, { type: 'malformed', what: 'the final response' }, out)
    return
  }
  if (response.data.status === 'failed') {
    refuse(state, response.data, out)
    return
  }
  // The final response repeats the items; they are read here only when no item came before.
  if (state.items.size === 0) {
    for (const [index, item] of (response.data.output ?? []).entries()) addItem(state, index, item, out)
  }
  if (state.finished) return
  state.finished = true
  const parts = partsOf(state)
  const stop = stopOf(response.data, parts.length > 0)
  const words = stop === 'filter' ? stopWords([filtersIn(response.data['content_filters'])]) : {}
  out.push({ type: 'completed', parts, usage: usageOf(response.data), stop, ...words })
}

/** Calls of tools that no request names: sent back without their output, they would be rejected. */
const foreignCalls = /^(?:local_shell|shell|apply_patch|computer)_call$/

/** Returns the items that can go back, in order. Reasoning at the end stands before nothing, and would be rejected. */
function partsOf(state: PartialResponse): readonly JsonRecord[] {
  const inOrder = [...state.items].sort(([a], [b]) => a - b)
  const items = inOrder.flatMap(([, item]) => (item === undefined ? [] : [item]))
  const parts = items.filter((item) => !foreignCalls.test(String(item['type'])) || hasOutput(items, item))
  const lastKept = parts.findLastIndex((part) => part['type'] !== 'reasoning')
  return parts.slice(0, lastKept + 1)
}

function hasOutput(items: readonly JsonRecord[], { type, call_id: callId }: JsonRecord): boolean {
  return items.some((item) => item['type'] === `${String(type)}_output` && item['call_id'] === callId)
}

/** Returns why a response ended. A model that did something and has not ended its turn goes on with another request. */
function stopOf({ status, incomplete_details: details, ...others }: FinalResponse, hasParts: boolean): StopReason {
  const reason = details?.reason
  if (reason === 'content_filter') return 'filter'
  if (typeof reason === 'string' || status === 'incomplete') return 'length'
  return others['end_turn'] === false && hasParts ? 'paused' : 'stop'
}

function usageOf({ usage }: FinalResponse): TokenUsage {
  if (!usage) return zeroUsage
  return {
    inputTokens: numberAt(usage, 'input_tokens') ?? 0,
    cachedInputTokens: numberAt(recordAt(usage, 'input_tokens_details') ?? {}, 'cached_tokens') ?? 0,
    outputTokens: numberAt(usage, 'output_tokens') ?? 0,
    reasoningTokens: numberAt(recordAt(usage, 'output_tokens_details') ?? {}, 'reasoning_tokens') ?? 0,
  }
}

const finalResponse = lazily(() =>
  z.looseObject({
    status: z.string().nullish(),
    output: z.array(z.unknown()).nullish(),
    incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
    usage: z.record(z.string(), z.unknown()).nullish().catch(null),
  }),
)

type FinalResponse = z.infer<ReturnType<typeof finalResponse>>
