import type { WireReader } from '../../exchange/http-wire.ts'
import type { ExplainFault } from '../../failures/explain.ts'
import { type ModelEvent, type StopReason, type TokenUsage, zeroUsage } from '../../port/model-client.ts'
import type { ModelRequest } from '../../port/model-request.ts'
import { isRecord, type JsonRecord, numberAt, parseRecord, recordAt } from '../json.ts'
import { readErrorRecord } from '../openai-api.ts'
import { createCallIds, createCallProgress } from '../tool-calls.ts'
import type { CallDraft } from './call-drafts.ts'
import { createSegments, fail, partOf, type ReadState, readDelta } from './read-delta.ts'
import { assistantMessage, type WrittenCall } from './write-request.ts'

export function createChatReader(request: ModelRequest, explain: ExplainFault): WireReader {
  const state: ReadState = {
    explain,
    callIds: createCallIds(request.entries),
    progress: createCallProgress(),
    segments: createSegments(),
    drafts: [],
    text: '',
    reasoningContent: '',
    usage: zeroUsage,
    finishReason: undefined,
    finished: false,
  }
  return {
    read(data, out) {
      if (!state.finished) readData(state, data, out)
    },
    end(out) {
      if (state.finished) return
      if (state.finishReason === undefined) fail(state, { type: 'cut' }, out)
      else complete(state, out)
    },
  }
}

function readData(state: ReadState, data: string, out: ModelEvent[]): void {
  if (data.trim() === '[DONE]') {
    const isEmpty = state.finishReason === undefined && state.text === '' && state.drafts.length === 0
    if (isEmpty) fail(state, { type: 'cut' }, out)
    else complete(state, out)
    return
  }
  const chunk = parseRecord(data)
  if (chunk === undefined) fail(state, { type: 'malformed', what: 'an event that is not JSON' }, out)
  else if (chunk['error']) fail(state, { type: 'refused', error: readErrorRecord(chunk) }, out)
  else readChunk(state, chunk, out)
}

function readChunk(state: ReadState, chunk: JsonRecord, out: ModelEvent[]): void {
  const { choices, usage } = chunk
  if (isRecord(usage)) state.usage = readUsage(usage)
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  if (!isRecord(choice)) return
  const delta = recordAt(choice, 'delta') ?? recordAt(choice, 'message')
  if (delta !== undefined) readDelta(state, delta, out)
  const reason = choice['finish_reason']
  if (typeof reason === 'string' && reason !== '') state.finishReason = reason
}

function complete(state: ReadState, out: ModelEvent[]): void {
  if (state.finishReason === 'error') {
    fail(state, { type: 'refused', error: { message: '', code: '', kind: '' } }, out)
    return
  }
  state.finished = true
  state.segments.close(out)
  const stop = stopOf(state.finishReason)
  const calls = state.drafts.flatMap((draft) => finishCall(state, draft, stop, out))
  const { text, reasoningContent, usage } = state
  const hasContent = text !== '' || calls.length > 0
  out.push({
    type: 'completed',
    parts: hasContent ? [assistantMessage({ text, calls, reasoningContent })] : [],
    usage,
    stop,
  })
}

/** Sends a call and returns it. Omits one that the length limit cut: sent back, it would need a result. */
function finishCall(state: ReadState, draft: CallDraft, stop: StopReason, out: ModelEvent[]): readonly WrittenCall[] {
  const written = draft.written.trim() === '' ? '{}' : draft.written
  if (stop === 'length' && parseRecord(written) === undefined) return []
  const call = { callId: draft.id, name: draft.name, arguments: written }
  const id = state.callIds.claim(call)
  if (id === undefined) return []
  out.push({ type: 'call', part: partOf(draft), ...call, callId: id })
  return [{ id, name: call.name, arguments: written, ...(draft.extra === undefined ? {} : { extra: draft.extra }) }]
}

function stopOf(finishReason: string | undefined): StopReason {
  if (finishReason === 'length' || finishReason === 'max_tokens') return 'length'
  return finishReason === 'content_filter' ? 'filter' : 'stop'
}

/** Reads usage without a schema: servers differ in the fields they have, and none of them may make a response fail. */
function readUsage(usage: JsonRecord): TokenUsage {
  const prompt = recordAt(usage, 'prompt_tokens_details')
  const completion = recordAt(usage, 'completion_tokens_details')
  const cached = prompt === undefined ? undefined : numberAt(prompt, 'cached_tokens')
  return {
    inputTokens: numberAt(usage, 'prompt_tokens') ?? 0,
    cachedInputTokens: cached ?? numberAt(usage, 'prompt_cache_hit_tokens') ?? 0,
    outputTokens: numberAt(usage, 'completion_tokens') ?? 0,
    reasoningTokens: (completion === undefined ? undefined : numberAt(completion, 'reasoning_tokens')) ?? 0,
  }
}
