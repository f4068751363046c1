import { isRecord } from '@parley/text'
import {
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type TokenUsage,
  zeroUsage,
} from '../../port/model-client.ts'
import type { ExplainFault, WireFault, WireReader } from '../../port/wire.ts'
import { createEventReader, fail, type OpenResponse } from '../event-reader.ts'
import { idAt, type JsonRecord, numberAt, recordAt, stringAt } from '../json.ts'
import { pictureEvent, pictureText } from '../pictures.ts'
import { createSegments, type Segments } from '../segments.ts'
import { filtersIn, stopWords } from '../stop-words.ts'
import { type CallIds, createCallIds } from '../tool-calls.ts'
import { addPiece, beginCall, continues, isPiece, type PendingCall } from './call-pieces.ts'
import { readGeminiError } from './read-error.ts'

export function createGeminiReader(request: ModelRequest, explain: ExplainFault): WireReader {
  const state: PartialContent = {
    explain,
    callIds: createCallIds(request.entries),
    segments: createSegments({ isRaw: false }),
    parts: [],
    pending: null,
    calls: 0,
    pictures: 0,
    usage: zeroUsage,
    finishReason: undefined,
    finishMessage: '',
    blocked: [],
    filters: undefined,
    finished: false,
  }
  return createEventReader(
    state,
    (chunk, out) => readChunk(state, chunk, out),
    () => {
      const { finishReason } = state
      return finishReason === undefined ? undefined : (out) => complete(state, finishReason, out)
    },
  )
}

/** State of one response while it is read. */
interface PartialContent extends OpenResponse {
  readonly callIds: CallIds
  readonly segments: Segments
  /** Parts as they go back, each signature in the part that it came with. */
  readonly parts: JsonRecord[]
  /** Call with pieces still to come, if there is one. */
  pending: PendingCall | null
  calls: number
  pictures: number
  usage: TokenUsage
  finishReason: string | undefined
  /** Explanation of the reason, which the API gives with some. */
  finishMessage: string
  /** Words on a prompt that was blocked. */
  blocked: readonly (string | undefined)[]
  /** Names of the filters that stopped the answer. */
  filters: string | undefined
}

/** Reads one chunk. The reason to stop comes with the last candidate, usage with each chunk. */
function readChunk(state: PartialContent, chunk: JsonRecord, out: ModelEvent[]): void {
  const { candidates } = chunk
  if (chunk['error'] !== undefined) {
    fail(state, { type: 'refused', error: readGeminiError(chunk) }, out)
    return
  }
  state.usage = usageOf(recordAt(chunk, 'usageMetadata'), state.usage)
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  if (isRecord(candidate)) {
    const parts = recordAt(candidate, 'content')?.['parts']
    if (Array.isArray(parts)) for (const part of parts.filter(isRecord)) if (!state.finished) readPart(state, part, out)
    state.finishMessage = stringAt(candidate, 'finishMessage') ?? state.finishMessage
    state.finishReason = stringAt(candidate, 'finishReason') ?? state.finishReason
    state.filters = filtersIn(candidate['safetyRatings']) ?? state.filters
  }
  const feedback = recordAt(chunk, 'promptFeedback') ?? {}
  const blocked = stringAt(feedback, 'blockReason')
  if (blocked === undefined) return
  state.finishReason ??= 'SAFETY'
  state.blocked = [`The prompt was blocked: ${blocked}`, stringAt(feedback, 'blockReasonMessage')]
  state.filters = filtersIn(feedback['safetyRatings']) ?? state.filters
}

function readPart(state: PartialContent, part: JsonRecord, out: ModelEvent[]): void {
  const call = recordAt(part, 'functionCall')
  if (call !== undefined) {
    state.segments.close(out)
    if (isPiece(call) || state.pending !== null) readPiece(state, part, call, out)
    else readCall(state, part, call, out)
    return
  }
  const data = recordAt(part, 'inlineData')
  if (data !== undefined) readPicture(state, part, data, out)
  const text = stringAt(part, 'text')
  if (text === undefined) return
  state.segments.push(part['thought'] === true ? 'reasoning' : 'text', text, out)
  keepText(state.parts, part, text)
}

/** Sends a picture, and keeps a line with its signature in its place. Drafts within thoughts do not count. */
function readPicture(state: PartialContent, part: JsonRecord, data: JsonRecord, out: ModelEvent[]): void {
  const base64 = stringAt(data, 'data') ?? ''
  if (part['thought'] === true || base64 === '') return
  const picture = { mediaType: stringAt(data, 'mimeType') ?? '', base64 }
  state.segments.close(out)
  out.push(pictureEvent(state.pictures, picture))
  state.pictures += 1
  const { inlineData: _bytes, ...others } = part
  state.parts.push({ ...others, text: `\n${pictureText(picture)}\n` })
}

/** Keeps text for the next request, pieces joined. Thoughts without a signature are not sent back. */
function keepText(parts: JsonRecord[], part: JsonRecord, text: string): void {
  const isSigned = part['thoughtSignature'] !== undefined
  if (!isSigned && (part['thought'] === true || text === '')) return
  const last = parts.at(-1)
  const joins = !isSigned && last !== undefined && isPlainText(last)
  if (joins) parts[parts.length - 1] = { text: `${stringAt(last, 'text') ?? ''}${text}` }
  else parts.push(isSigned ? part : { text })
}

function isPlainText(part: JsonRecord): boolean {
  return typeof part['text'] === 'string' && part['thoughtSignature'] === undefined
}

/**
 * Reads a piece of a call from an endpoint that streams arguments. The last piece promises no other; an empty one
 * behind it ends nothing. A piece without a place fails the answer: half a call must not run.
 */
function readPiece(state: PartialContent, part: JsonRecord, call: JsonRecord, out: ModelEvent[]): void {
  const { pending } = state
  if (pending === null && state.calls > 0 && Object.keys(call).length === 0) return
  const grown = grownCall(pending, part, call)
  if (grown === null) {
    fail(state, { type: 'malformed', what: 'a piece of a tool call' }, out)
    return
  }
  if (pending === null) out.push({ type: 'callDelta', part: `call-${state.calls}`, name: grown.name, argumentBytes: 0 })
  state.pending = grown
  if (call['willContinue'] === true) return
  state.pending = null
  const { name, id, args } = grown
  const whole = { ...(id === '' ? {} : { id }), name, args }
  readCall(state, { ...grown.part, functionCall: whole }, whole, out)
}

/** Returns the call with this piece; null where the piece belongs to another call. */
function grownCall(pending: PendingCall | null, part: JsonRecord, call: JsonRecord): PendingCall | null {
  if (pending === null) return beginCall(part, call)
  return continues(call, pending) ? addPiece(pending, part, call) : null
}

/** Sends a call, which comes whole, and keeps its part; neither for a repetition of another. */
function readCall(state: PartialContent, part: JsonRecord, call: JsonRecord, out: ModelEvent[]): void {
  const given = idAt(call, 'id')
  const name = stringAt(call, 'name') ?? ''
  const written = JSON.stringify(recordAt(call, 'args') ?? {})
  // Without ids two equal calls are two calls.
  const callId = state.callIds.claim({ callId: given, name, arguments: written })
  if (callId === undefined) return
  const nth = `call-${state.calls}`
  state.calls += 1
  out.push({ type: 'callDelta', part: nth, name, argumentBytes: 0 })
  out.push({ type: 'call', part: nth, callId, name, arguments: written })
  state.parts.push(given === '' ? part : { ...part, functionCall: { ...call, id: callId } })
}

function complete(state: PartialContent, finishReason: string, out: ModelEvent[]): void {
  const fault = faultOf(state, finishReason)
  if (fault !== undefined) {
    fail(state, fault, out)
    return
  }
  state.finished = true
  state.segments.close(out)
  const stop = stopOf(finishReason)
  out.push({ type: 'completed', parts: state.parts, usage: state.usage, stop, ...wordsOn(state, finishReason) })
}

function wordsOn({ blocked, filters, finishMessage }: PartialContent, finishReason: string): { readonly why?: string } {
  if (stopOf(finishReason) !== 'filter') return {}
  return stopWords([...(blocked.length === 0 ? [finishReason] : blocked), filters, finishMessage])
}

/** Returns the fault of an answer that ended without being one; another try often gives a whole one. */
function faultOf(
  { parts, pending, finishMessage: message }: PartialContent,
  finishReason: string,
): WireFault | undefined {
  // A call that the output limit cut is left out, as on every wire.
  if (pending !== null && stopOf(finishReason) === 'stop') return { type: 'malformed', what: 'a piece of a tool call' }
  if (badCalls.has(finishReason)) return { type: 'malformed', what: 'a tool call' }
  if (finishReason === 'MALFORMED_RESPONSE') return { type: 'malformed', what: 'its answer' }
  if (finishReason === 'TOO_MANY_TOOL_CALLS' || finishReason === 'MISSING_THOUGHT_SIGNATURE')
    return { type: 'refused', error: { message: message || finishReason, code: '', kind: 'invalid_request_error' } }
  const isEmpty = parts.length === 0 && stopOf(finishReason) === 'stop'
  return isEmpty ? { type: 'malformed', what: `an empty answer, ${finishReason}` } : undefined
}

const badCalls: ReadonlySet<string> = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])

/** Reasons of the provider not to go on. */
const filters: ReadonlySet<string> = new Set([
  ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'],
])

function stopOf(finishReason: string): StopReason {
  if (finishReason === 'MAX_TOKENS') return 'length'
  return filters.has(finishReason) ? 'filter' : 'stop'
}

/** Reads usage, which each chunk counts anew; thoughts are output. */
function usageOf(usage: JsonRecord | undefined, before: TokenUsage): TokenUsage {
  if (usage === undefined) return before
  const thoughts = numberAt(usage, 'thoughtsTokenCount') ?? 0
  return {
    inputTokens: numberAt(usage, 'promptTokenCount') ?? 0,
    cachedInputTokens: numberAt(usage, 'cachedContentTokenCount') ?? 0,
    outputTokens: (numberAt(usage, 'candidatesTokenCount') ?? 0) + thoughts,
    reasoningTokens: thoughts,
  }
}
