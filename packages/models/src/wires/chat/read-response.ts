import { isRecord, parseRecord } from '@parley/text'
import {
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type TokenUsage,
  zeroUsage,
} from '../../port/model-client.ts'
import type { ExplainFault, WireReader } from '../../port/wire.ts'
import { fail, notJson, type OpenResponse } from '../event-reader.ts'
import { type JsonRecord, numberAt, recordAt, stringAt } from '../json.ts'
import { readErrorRecord } from '../openai-api.ts'
import { linkedPicture, pictureEvent, picturesIn, pictureText } from '../pictures.ts'
import { createSegments, type Segments } from '../segments.ts'
import { filtersIn, stopWords } from '../stop-words.ts'
import { type CallIds, type CallProgress, createCallIds, createCallProgress } from '../tool-calls.ts'
import { applyFragment, assistantMessage, type CallDraft, partOf, type WrittenCall } from './response-parts.ts'
import { beginsWithinThought, createThinkTags } from './think-tags.ts'

export function createChatReader(request: ModelRequest, explain: ExplainFault): WireReader {
  const state: PartialCompletion = {
    explain,
    calls: { ids: createCallIds(request.entries), progress: createCallProgress(), drafts: [] },
    content: { text: '', reasoning: '', pictures: [] },
    segments: createSegments({ isRaw: true }),
    thinkTags: createThinkTags({ beginsWithin: beginsWithinThought(request.model) }),
    hasReasoning: false,
    hasDelta: false,
    usage: zeroUsage,
    finishReason: undefined,
    filters: [],
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

/** Calls of a response while their fragments arrive. */
interface OpenCalls {
  readonly ids: CallIds
  readonly progress: CallProgress
  readonly drafts: CallDraft[]
}

/** Content of a response so far, as it goes back with the next request. */
interface ContentSoFar {
  text: string
  /** Reasoning of servers that want it back. */
  reasoning: string
  /** Lines that replace pictures. */
  readonly pictures: string[]
}

/** State of one response while it is read. */
interface PartialCompletion extends OpenResponse {
  readonly calls: OpenCalls
  readonly content: ContentSoFar
  readonly segments: Segments
  readonly thinkTags: ReturnType<typeof createThinkTags>
  hasReasoning: boolean
  /** Set once a piece has come as a delta; some servers send pieces as messages. */
  hasDelta: boolean
  usage: TokenUsage
  finishReason: string | undefined
  /** Words on the filters that stopped the answer. */
  filters: readonly (string | undefined)[]
}

function readData(state: PartialCompletion, data: string, out: ModelEvent[]): void {
  if (data.trim() === '[DONE]') {
    if (state.finishReason === undefined && isEmpty(state.content, state.calls)) fail(state, { type: 'cut' }, out)
    else complete(state, out)
    return
  }
  const chunk = parseRecord(data)
  if (chunk === undefined) fail(state, notJson, out)
  else if (chunk['error']) fail(state, { type: 'refused', error: readErrorRecord(chunk) }, out)
  else readChunk(state, chunk, out)
}

function isEmpty({ text, pictures }: ContentSoFar, { drafts }: OpenCalls): boolean {
  return text === '' && drafts.length === 0 && pictures.length === 0
}

function readChunk(state: PartialCompletion, chunk: JsonRecord, out: ModelEvent[]): void {
  const { choices, usage } = chunk
  if (isRecord(usage)) state.usage = readUsage(usage)
  const choice = firstChoice(choices)
  if (choice === undefined) return
  const delta = recordAt(choice, 'delta')
  const whole = delta === undefined ? recordAt(choice, 'message') : undefined
  if (delta !== undefined) {
    state.hasDelta = true
    readDelta(state, delta, out)
  }
  if (whole !== undefined) readDelta(state, state.hasDelta ? unreadFields(state, whole) : whole, out)
  const reason = choice['finish_reason']
  if (typeof reason === 'string' && reason !== '') state.finishReason = reason
  if (reason === 'content_filter') state.filters = [choice, chunk].flatMap(filterWords)
}

/** Returns the filters that stopped an answer: Azure names them, OpenRouter gives the word of the provider. */
function filterWords(of: JsonRecord): readonly (string | undefined)[] {
  const { content_filter_results: results, content_filter_result: result, prompt_filter_results: ofPrompt } = of
  return [filtersIn(results ?? result), filtersIn(ofPrompt), stringAt(of, 'native_finish_reason')]
}

/** Returns the choice that was asked for; servers that count wrongly have only one. */
function firstChoice(choices: unknown): JsonRecord | undefined {
  const all = Array.isArray(choices) ? choices.filter(isRecord) : []
  return all.find((choice) => numberAt(choice, 'index') === 0) ?? all[0]
}

/** Returns the fields of a whole message that no delta had: some servers end a stream with the whole message again. */
function unreadFields({ content: read, calls: { drafts }, hasReasoning }: PartialCompletion, message: JsonRecord) {
  const { content, refusal, tool_calls: calls, images, ...others } = message
  return {
    ...(hasReasoning ? {} : others),
    ...(read.text === '' ? { content, refusal } : {}),
    ...(drafts.length === 0 ? { tool_calls: calls } : {}),
    ...(read.pictures.length === 0 ? { images } : {}),
  }
}

/** Reads one delta: its reasoning, text and fragments of calls. */
function readDelta(state: PartialCompletion, delta: JsonRecord, out: ModelEvent[]): void {
  const {
    content,
    reasoning_content: reasoningContent,
    reasoning,
    tool_calls: calls,
    refusal,
    function_call: call,
  } = delta
  if (typeof reasoningContent === 'string') {
    state.content.reasoning += reasoningContent
    pushReasoning(state, reasoningContent, out)
  } else if (typeof reasoning === 'string') {
    pushReasoning(state, reasoning, out)
  }
  if (typeof content === 'string') pushText(state, content, out)
  else if (Array.isArray(content)) for (const piece of content) readPiece(state, piece, out)
  if (typeof refusal === 'string') pushText(state, refusal, out)
  if (delta['images'] !== undefined) readPictures(state, delta['images'], out)
  if (Array.isArray(calls)) for (const fragment of calls) readFragment(state, fragment, out)
  // Form of a call before there were several in one answer.
  else if (isRecord(call)) readFragment(state, { index: 0, function: call }, out)
}

/** Reads reasoning that the server sends apart from content. */
function pushReasoning(state: PartialCompletion, text: string, out: ModelEvent[]): void {
  if (text !== '') {
    state.thinkTags.noteSeparateReasoning()
    state.hasReasoning = true
  }
  state.segments.push('reasoning', text, out)
}

function pushText(state: PartialCompletion, text: string, out: ModelEvent[]): void {
  pushPieces(state, state.thinkTags.push(text), out)
}

function pushPieces(
  state: PartialCompletion,
  pieces: ReturnType<PartialCompletion['thinkTags']['push']>,
  out: ModelEvent[],
): void {
  for (const [kind, text] of pieces) {
    if (kind === 'wasReasoning' || kind === 'wasText') {
      const whole = state.segments.turnInto(kind === 'wasText' ? 'text' : 'reasoning', out)
      state.content.text = kind === 'wasText' ? whole : ''
      continue
    }
    if (kind === 'text') state.content.text += text
    state.segments.push(kind, text, out)
  }
}

/** Ends the open segment, with the end of its text that might have been the beginning of a tag. */
function closeSegment(state: PartialCompletion, out: ModelEvent[]): void {
  pushPieces(state, state.thinkTags.end(stopOf(state.finishReason) === 'length'), out)
  state.segments.close(out)
}

/** Reads a piece of content; Mistral sends content in pieces, reasoning among them. */
function readPiece(state: PartialCompletion, piece: unknown, out: ModelEvent[]): void {
  if (!isRecord(piece)) return
  const { text, thinking } = piece
  if (typeof text === 'string') pushText(state, text, out)
  readPictures(state, [piece], out)
  if (!Array.isArray(thinking)) return
  for (const thought of thinking) {
    if (isRecord(thought) && typeof thought['text'] === 'string') pushReasoning(state, thought['text'], out)
  }
}

/** Reads pictures; the address of a picture elsewhere is shown and goes back. */
function readPictures(state: PartialCompletion, images: unknown, out: ModelEvent[]): void {
  for (const picture of picturesIn(images)) {
    closeSegment(state, out)
    const nth = state.content.pictures.length
    const isLink = typeof picture === 'string'
    out.push(isLink ? linkedPicture(nth, picture) : pictureEvent(nth, picture))
    state.content.pictures.push(isLink ? `[Picture made here: ${picture}]` : pictureText(picture))
  }
}

function readFragment(state: PartialCompletion, raw: unknown, out: ModelEvent[]): void {
  if (state.finished) return
  const change = applyFragment(state.calls.drafts, raw)
  if (change === undefined) {
    fail(state, { type: 'malformed', what: 'a tool call' }, out)
    return
  }
  const part = partOf(change.draft)
  if (change.isNew) {
    closeSegment(state, out)
    state.calls.progress.begin(part, change.draft.name || undefined, out)
  }
  state.calls.progress.grow(part, change.fragment, out)
}

function complete(state: PartialCompletion, out: ModelEvent[]): void {
  if (state.finishReason === 'error') {
    fail(state, { type: 'refused', error: { message: '', code: '', kind: '' } }, out)
    return
  }
  state.finished = true
  closeSegment(state, out)
  const stop = stopOf(state.finishReason)
  const calls = state.calls.drafts.flatMap((draft) => finishCall(state.calls, draft, stop, out))
  const { content, usage } = state
  const text = [content.text, ...content.pictures].filter((piece) => piece !== '').join('\n\n')
  const hasContent = text !== '' || calls.length > 0
  out.push({
    type: 'completed',
    parts: hasContent ? [assistantMessage({ text, calls, reasoningContent: content.reasoning })] : [],
    usage,
    stop,
    ...stopWords(state.filters),
  })
}

/** Sends a call and returns it. Omits one that the length limit cut: sent back, it would need a result. */
function finishCall({ ids }: OpenCalls, draft: CallDraft, stop: StopReason, out: ModelEvent[]): readonly WrittenCall[] {
  const written = draft.written.trim() === '' ? '{}' : draft.written
  if (stop === 'length' && parseRecord(written) === undefined) return []
  const call = { callId: draft.id, name: draft.name, arguments: written }
  const id = ids.claim(call)
  if (id === undefined) return []
  out.push({ type: 'call', part: partOf(draft), ...call, callId: id })
  return [{ id, name: call.name, arguments: written, ...(draft.extra === undefined ? {} : { extra: draft.extra }) }]
}

function stopOf(finishReason: string | undefined): StopReason {
  if (finishReason === 'length' || finishReason === 'max_tokens') return 'length'
  return finishReason === 'content_filter' ? 'filter' : 'stop'
}

/** Reads usage without a schema: servers differ in their fields, and a missing field must not fail a response. */
function readUsage(usage: JsonRecord): TokenUsage {
  const prompt = recordAt(usage, 'prompt_tokens_details')
  const completion = recordAt(usage, 'completion_tokens_details')
  const cached = prompt === undefined ? undefined : numberAt(prompt, 'cached_tokens')
  const inputTokens = numberAt(usage, 'prompt_tokens') ?? 0
  const outputTokens = numberAt(usage, 'completion_tokens') ?? 0
  const reasoningTokens = (completion === undefined ? undefined : numberAt(completion, 'reasoning_tokens')) ?? 0
  // xAI counts reasoning beside the completion; only the total tells.
  const isBeside = numberAt(usage, 'total_tokens') === inputTokens + outputTokens + reasoningTokens
  return {
    inputTokens,
    cachedInputTokens: cached ?? numberAt(usage, 'prompt_cache_hit_tokens') ?? 0,
    outputTokens: isBeside ? outputTokens + reasoningTokens : outputTokens,
    reasoningTokens,
  }
}
