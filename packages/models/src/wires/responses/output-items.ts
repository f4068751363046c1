import { isRecord } from '@parley/text'
import * as z from 'zod'
import type { ModelEvent, ModelRequest } from '../../port/model-client.ts'
import type { ExplainFault } from '../../port/wire.ts'
import { fail, type OpenResponse } from '../event-reader.ts'
import { type JsonRecord, lazily, stringAt } from '../json.ts'
import { pictureEvent, pictureText } from '../pictures.ts'
import { type CallIds, type CallProgress, createCallIds, createCallProgress } from '../tool-calls.ts'

/** State of one response while it is read. */
export interface PartialResponse extends OpenResponse {
  readonly tools: ModelRequest['tools']
  readonly callIds: CallIds
  readonly progress: CallProgress
  /** Text and reasoning parts that were sent whole; the item that contains them repeats them. */
  readonly sentWhole: Set<string>
  /** Complete output items by output index; undefined for an item that must not go back to the provider. */
  readonly items: Map<number, JsonRecord | undefined>
}

export function createPartialResponse(request: ModelRequest, explain: ExplainFault): PartialResponse {
  return {
    explain,
    tools: request.tools,
    callIds: createCallIds(request.entries),
    progress: createCallProgress(),
    sentWhole: new Set(),
    items: new Map(),
    finished: false,
  }
}

/** Adds a complete output item, unchanged, for the next request, and sends its unsent parts. */
export function addItem(state: PartialResponse, index: number, raw: unknown, out: ModelEvent[]): void {
  if (state.items.has(index)) return
  const item = outputItem().safeParse(raw)
  if (!item.success || !isRecord(raw)) {
    fail(state, { type: 'malformed', what: 'an output item' }, out)
    return
  }
  const isCall = item.data.type === 'function_call' || item.data.type === 'custom_tool_call'
  const callId = isCall ? sendCall(state, index, item.data, out) : undefined
  state.items.set(index, isCall ? callItem(raw, callId) : raw)
  if (item.data.type === 'image_generation_call') state.items.set(index, sendPicture(index, raw, out))
  if (item.data.type === 'message') sendTexts(state, index, item.data, out)
  if (item.data.type === 'reasoning') sendReasoning(state, index, item.data, out)
}

/** Sends a call and returns its id. Omits one that was cut or repeats another: sent back, it would need a result. */
function sendCall(state: PartialResponse, index: number, item: OutputItem, out: ModelEvent[]): string | undefined {
  if (item.status === 'incomplete') return undefined
  const call = { callId: item.call_id ?? item.id ?? '', name: item.name ?? '', arguments: argumentsOf(state, item) }
  const callId = state.callIds.claim(call)
  if (callId !== undefined) out.push({ type: 'call', part: partOf({ output_index: index }, 'call'), ...call, callId })
  return callId
}

/** Returns the arguments as text; some servers send an object. The input of a freeform tool stands for one field. */
function argumentsOf({ tools }: PartialResponse, { type, name, arguments: written, input }: OutputItem): string {
  if (type === 'custom_tool_call') {
    const field = tools.find((tool) => tool.name === name)?.freeform?.field ?? 'input'
    return JSON.stringify({ [field]: input ?? '' })
  }
  if (isRecord(written)) return JSON.stringify(written)
  return typeof written === 'string' && written !== '' ? written : '{}'
}

function callItem(raw: JsonRecord, callId: string | undefined): JsonRecord | undefined {
  if (callId === undefined) return undefined
  return callId === raw['call_id'] ? raw : { ...raw, call_id: callId }
}

/** Sends the picture of an item, and returns the message that replaces it in later requests; else the item. */
function sendPicture(index: number, raw: JsonRecord, out: ModelEvent[]): JsonRecord {
  const base64 = stringAt(raw, 'result') ?? ''
  if (base64 === '') return raw
  const picture = { mediaType: `image/${stringAt(raw, 'output_format') ?? 'png'}`, base64 }
  out.push(pictureEvent(index, picture))
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: pictureText(picture) }] }
}

function sendTexts(state: PartialResponse, index: number, item: OutputItem, out: ModelEvent[]): void {
  for (const [nth, content] of (item.content ?? []).entries()) {
    const part = partOf({ output_index: index, content_index: nth }, 'text')
    for (const event of sendWhole(state, 'textDone', part, content.text ?? content.refusal ?? '')) out.push(event)
  }
}

/** Sends summaries and content, where open models send their raw reasoning. */
function sendReasoning(state: PartialResponse, index: number, item: OutputItem, out: ModelEvent[]): void {
  for (const [nth, { text }] of (item.summary ?? []).entries()) {
    const part = partOf({ output_index: index, summary_index: nth }, 'reasoning')
    for (const event of sendWhole(state, 'reasoningDone', part, text ?? '')) out.push(event)
  }
  for (const [nth, { text }] of (item.content ?? []).entries()) {
    const part = partOf({ output_index: index, content_index: nth }, 'raw')
    for (const event of sendWhole(state, 'rawDone', part, text ?? '')) out.push(event)
  }
}

/** Returns the event with a whole text, or nothing when its part was sent whole before. */
export function sendWhole(
  state: PartialResponse,
  type: 'textDone' | 'reasoningDone' | 'rawDone',
  part: string,
  text: string,
): ModelEvent[] {
  if (state.sentWhole.has(part) || text === '') return []
  state.sentWhole.add(part)
  return [type === 'rawDone' ? { type: 'reasoningDone', part, text, raw: true } : { type, part, text }]
}

/**
 * Names the part of an event by its indexes. Item ids would not do: some gateways change them with every event. Text
 * and raw reasoning are counted by content, other reasoning by summary.
 */
export function partOf(event: JsonRecord, kind: 'text' | 'reasoning' | 'raw' | 'call'): string {
  const index = event['output_index'] ?? 0
  if (kind === 'call') return `call-${index}`
  const nth = kind === 'reasoning' ? event['summary_index'] : event['content_index']
  return `${kind}-${index}-${nth ?? 0}`
}

const content = lazily(() =>
  z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() }),
)

/** Schema of the fields that are read of an output item; the item itself goes back to the provider unchanged. */
const outputItem = lazily(() => {
  const idSchema = z.union([z.string(), z.number().transform(String)])
  return z.looseObject({
    type: z.string(),
    status: z.string().nullish(),
    // An item of a type that is not known here has fields of other kinds, and goes back as it is.
    content: z.array(content()).nullish().catch(null),
    summary: z.array(content()).nullish().catch(null),
    id: idSchema.nullish(),
    call_id: idSchema.nullish(),
    name: z.string().nullish(),
    arguments: z.unknown().optional(),
    input: z.string().nullish(),
  })
})

type OutputItem = z.infer<ReturnType<typeof outputItem>>
