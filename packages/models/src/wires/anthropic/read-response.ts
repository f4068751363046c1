import { isRecord } from '@parley/text'
import type { ModelEvent, ModelRequest, StopReason } from '../../port/model-client.ts'
import type { ExplainFault, WireReader } from '../../port/wire.ts'
import { createEventReader, fail, type OpenResponse } from '../event-reader.ts'
import { idAt, type JsonRecord, numberAt, recordAt, stringAt } from '../json.ts'
import { readErrorRecord } from '../openai-api.ts'
import { stopWords } from '../stop-words.ts'
import { type CallIds, type CallProgress, createCallIds, createCallProgress, readableArguments } from '../tool-calls.ts'
import { noCounts, type TokenCounts, updatedCounts, usageOf } from './token-counts.ts'

export function createMessagesReader(request: ModelRequest, explain: ExplainFault): WireReader {
  const state: PartialMessage = {
    explain,
    callIds: createCallIds(request.entries),
    progress: createCallProgress(),
    blocks: new Map(),
    counts: noCounts,
    stopReason: undefined,
    stopDetails: {},
    finished: false,
  }
  return createEventReader(
    state,
    (event, out) => readEvent(state, event, out),
    () => (state.stopReason === undefined ? undefined : (out) => complete(state, out)),
  )
}

/** State of one response while it is read. */
interface PartialMessage extends OpenResponse {
  readonly callIds: CallIds
  readonly progress: CallProgress
  /** Blocks by their index. */
  readonly blocks: Map<number, ContentBlock>
  counts: TokenCounts
  stopReason: string | undefined
  /** Details that the provider gives of its refusal. */
  stopDetails: JsonRecord
}

/** Content block; `part` is its form in later requests, undefined for a block that must not go back. */
interface ContentBlock {
  readonly start: JsonRecord
  /** Text, reasoning, or the arguments of a call. */
  text: string
  signature: string
  /** True while `text` is the input that came with the start, which the pieces of some gateways repeat. */
  isFromStart: boolean
  isOpen: boolean
  part: JsonRecord | undefined
}

type Handler = (state: PartialMessage, event: JsonRecord, out: ModelEvent[]) => void

function readEvent(state: PartialMessage, event: JsonRecord, out: ModelEvent[]): void {
  const { type } = event
  if (typeof type === 'string') handlers.get(type)?.(state, event, out)
}

const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['content_block_delta', grow],
  [
    'content_block_start',
    (state, event, out) => begin(state, indexOf(event), recordAt(event, 'content_block') ?? {}, out),
  ],
  ['content_block_stop', (state, event, out) => end(state, indexOf(event), out)],
  ['message_start', (state, event, out) => start(state, recordAt(event, 'message') ?? {}, out)],
  ['message_delta', readEnding],
  ['message_stop', (state, _event, out) => complete(state, out)],
  [
    'message',
    (state, event, out) => {
      readMessage(state, event, out)
      complete(state, out)
    },
  ],
  ['error', (state, event, out) => fail(state, { type: 'refused', error: readErrorRecord(event) }, out)],
])

function indexOf(event: JsonRecord): number {
  return numberAt(event, 'index') ?? 0
}

function readEnding(state: PartialMessage, event: JsonRecord): void {
  noteStop(state, recordAt(event, 'delta') ?? {})
  state.counts = updatedCounts(state.counts, recordAt(event, 'usage'))
}

/** Notes the tokens of the input. Some gateways send the event twice; a second message after content is no answer. */
function start(state: PartialMessage, message: JsonRecord, out: ModelEvent[]): void {
  if (state.blocks.size > 0) fail(state, { type: 'malformed', what: 'two messages in one stream' }, out)
  else readMessage(state, message, out)
}

/** Reads the content of a whole message: calls that code of the provider makes come whole with its start. */
function readMessage(state: PartialMessage, message: JsonRecord, out: ModelEvent[]): void {
  const content = Array.isArray(message['content']) ? message['content'].filter(isRecord) : []
  for (const [nth, block] of content.entries()) {
    // Indexes of streamed blocks begin at 0, behind these.
    const index = nth - content.length
    begin(state, index, block, out)
    end(state, index, out)
  }
  state.counts = updatedCounts(state.counts, recordAt(message, 'usage'))
  noteStop(state, message)
}

function noteStop(state: PartialMessage, from: JsonRecord): void {
  state.stopReason = stringAt(from, 'stop_reason') ?? state.stopReason
  state.stopDetails = recordAt(from, 'stop_details') ?? state.stopDetails
}

function begin(state: PartialMessage, index: number, start: JsonRecord, out: ModelEvent[]): void {
  if (state.blocks.has(index)) {
    fail(state, { type: 'malformed', what: 'a content block that begins twice' }, out)
    return
  }
  const signature = stringAt(start, 'signature') ?? ''
  const block: ContentBlock = { start, text: '', signature, isFromStart: false, isOpen: true, part: undefined }
  state.blocks.set(index, block)
  if (start['type'] === 'tool_use') {
    state.progress.begin(`call-${index}`, stringAt(start, 'name'), out)
    const input = recordAt(start, 'input') ?? {}
    block.isFromStart = Object.keys(input).length > 0
    if (block.isFromStart) block.text = JSON.stringify(input)
  }
  push(block, index, stringAt(start, 'text') ?? stringAt(start, 'thinking') ?? '', out)
}

/** Adds a piece to its block. The hot path: nearly every event is one. */
function grow(state: PartialMessage, event: JsonRecord, out: ModelEvent[]): void {
  const index = indexOf(event)
  const block = state.blocks.get(index)
  if (block?.isOpen !== true) {
    fail(state, { type: 'malformed', what: 'a piece of no content block' }, out)
    return
  }
  const { type, text, thinking, signature, content, partial_json: fragment } = recordAt(event, 'delta') ?? {}
  if (type === 'text_delta' && typeof text === 'string') push(block, index, text, out)
  else if (type === 'thinking_delta' && typeof thinking === 'string') push(block, index, thinking, out)
  else if (type === 'compaction_delta' && typeof content === 'string') block.text += content
  else if (type === 'signature_delta' && typeof signature === 'string') block.signature += signature
  else if (type === 'input_json_delta' && typeof fragment === 'string') {
    block.text = block.isFromStart && fragment !== '' ? fragment : block.text + fragment
    block.isFromStart &&= fragment === ''
    state.progress.grow(`call-${index}`, fragment, out)
  }
}

function push(block: ContentBlock, index: number, text: string, out: ModelEvent[]): void {
  const kind = kindOf(block)
  if (text === '' || kind === undefined) return
  block.text += text
  out.push({ type: kind === 'text' ? 'textDelta' : 'reasoningDelta', part: `${kind}-${index}`, text })
}

function kindOf({ start }: ContentBlock): 'text' | 'reasoning' | undefined {
  if (start['type'] === 'text') return 'text'
  return start['type'] === 'thinking' ? 'reasoning' : undefined
}

function end(state: PartialMessage, index: number, out: ModelEvent[]): void {
  const block = state.blocks.get(index)
  if (block?.isOpen !== true) return
  block.isOpen = false
  const kind = kindOf(block)
  if (kind !== undefined && block.text !== '')
    out.push({ type: kind === 'text' ? 'textDone' : 'reasoningDone', part: `${kind}-${index}`, text: block.text })
  block.part = partOf(state, block, index, out)
}

/** Returns a block as it goes back, reasoning with its signature unchanged, and sends a call. */
function partOf(state: PartialMessage, { start, text, signature }: ContentBlock, index: number, out: ModelEvent[]) {
  switch (start['type']) {
    case 'text':
      // The API rejects text of white space alone, also from a model that wrote it before a call.
      return text.trim() === '' ? undefined : { type: 'text', text }
    case 'thinking':
      return signature === '' ? undefined : { type: 'thinking', thinking: text, signature }
    case 'redacted_thinking':
      return start
    case 'tool_use':
      return sendCall(state, start, { part: `call-${index}`, written: text.trim() === '' ? '{}' : text }, out)
    case 'compaction':
      return { ...start, content: text || start['content'] }
    case 'server_tool_use':
      return { ...start, input: readableArguments(text.trim() === '' ? '{}' : text) }
    default:
      // Results of tools that run at the provider, which it wants back to go on.
      return /_tool_result$/.test(String(start['type'])) ? start : undefined
  }
}

/** Sends a call and returns its block; neither for a repetition of another. */
function sendCall(
  state: PartialMessage,
  start: JsonRecord,
  { part, written }: { readonly part: string; readonly written: string },
  out: ModelEvent[],
): JsonRecord | undefined {
  const call = { callId: idAt(start, 'id'), name: stringAt(start, 'name') ?? '', arguments: written }
  const id = state.callIds.claim(call)
  if (id === undefined) return undefined
  out.push({ type: 'call', part, ...call, callId: id })
  return { type: 'tool_use', id, name: call.name, input: readableArguments(written) }
}

function complete(state: PartialMessage, out: ModelEvent[]): void {
  const stop = stopOf(state.stopReason)
  for (const [index, block] of state.blocks) {
    // A call that the limit cut would need a result when it is sent back.
    if (block.isOpen && block.start['type'] !== 'tool_use') end(state, index, out)
  }
  state.finished = true
  const words = stop === 'filter' ? refusalWords(state.stopDetails) : {}
  out.push({ type: 'completed', parts: partsOf(state, stop), usage: usageOf(state.counts), stop, ...words })
}

function refusalWords(details: JsonRecord): { readonly why?: string } {
  const { category, explanation, recommended_model: model } = details
  return stopWords([
    typeof category === 'string' ? `Category: ${category}` : undefined,
    typeof explanation === 'string' ? explanation : undefined,
    typeof model === 'string' ? `Model to use: ${model}` : undefined,
  ])
}

/** Returns the blocks in order, without the reasoning at the end of a cut answer: sent back, it would be rejected. */
function partsOf({ blocks }: PartialMessage, stop: StopReason): readonly JsonRecord[] {
  const inOrder = [...blocks].sort(([a], [b]) => a - b)
  const parts = inOrder.flatMap(([, { part }]) => (part === undefined ? [] : [part]))
  if (stop === 'stop' || stop === 'paused') return parts
  return parts.slice(0, parts.findLastIndex(({ type }) => type === 'text' || type === 'tool_use') + 1)
}

/** Reasons that are no ordinary end. */
const stops: Readonly<Record<string, StopReason>> = {
  max_tokens: 'length',
  pause_turn: 'paused',
  model_context_window_exceeded: 'context',
  refusal: 'filter',
}

function stopOf(reason: string | undefined): StopReason {
  return (reason === undefined ? undefined : stops[reason]) ?? 'stop'
}
