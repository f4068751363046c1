import { isRecord } from '@parley/text'
import {
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type TokenUsage,
  zeroUsage,
} from '../../port/model-client.ts'
import { type JsonRecord, numberAt, recordAt, stringAt } from '../json.ts'
import { pictureEvent, pictureText } from '../pictures.ts'
import { stopWords } from '../stop-words.ts'
import { createCallIds, createCallProgress } from '../tool-calls.ts'
import { callPart } from './write-call.ts'

/** Reader of the parts of one response. Nothing follows a terminal event. */
export interface PartReader {
  /** Returns the events of a part of the stream, the error of an `error` part, or why the stream ended too early. */
  read(part: unknown): readonly ModelEvent[] | { readonly error: unknown } | { readonly unfinished: string }
}

/** Creates a reader of stream parts of the AI SDK's language models, of version 2 to 4 of the interface. */
export function createPartReader(request: ModelRequest): PartReader {
  const history: object[] = []
  const passages = createPassages(history)
  const calls = createCalls(request, history)
  const files = createFiles(history)
  return {
    read(part) {
      if (!isRecord(part)) return []
      const type = stringAt(part, 'type') ?? ''
      const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
      if ((kind === 'text' || kind === 'reasoning') && step !== undefined) return passages.take(part, kind, step)
      if (type.startsWith('tool-')) return calls.take(part, type)
      if (type === 'file') return files.take(part)
      if (type === 'error') return { error: part['error'] }
      return type === 'finish' ? finish(part) : []
    },
  }

  function finish(part: JsonRecord): ReturnType<PartReader['read']> {
    const stop = stopOf(part['finishReason'])
    if (typeof stop !== 'string') return stop
    const usage = usageOf(recordAt(part, 'usage'))
    const reason = part['finishReason']
    const words = stop === 'filter' && isRecord(reason) ? stopWords([stringAt(reason, 'raw')]) : {}
    return [...passages.end(), { type: 'completed', parts: history, usage, stop, ...words }]
  }
}

interface Passage {
  readonly kind: 'text' | 'reasoning'
  readonly text: string
  /** Data of the provider that goes back with it, such as a signature. */
  readonly metadata: unknown
}

/** Creates a reader of text and reasoning, which adds each whole passage to the history. */
function createPassages(history: object[]) {
  const open = new Map<string, Passage>()

  function close(key: string): readonly ModelEvent[] {
    const passage = open.get(key)
    if (passage === undefined) return []
    open.delete(key)
    const { kind, text, metadata } = passage
    if (text !== '' || metadata !== undefined)
      history.push({ type: kind, text, ...(metadata === undefined ? {} : { providerOptions: metadata }) })
    return text === '' ? [] : [{ type: kind === 'text' ? 'textDone' : 'reasoningDone', part: key, text }]
  }

  return {
    take(part: JsonRecord, kind: Passage['kind'], step: string): readonly ModelEvent[] {
      const key = `${kind}-${stringAt(part, 'id') ?? ''}`
      const known = open.get(key)
      const text = stringAt(part, 'delta') ?? ''
      const metadata = part['providerMetadata'] ?? known?.metadata
      if (known !== undefined || step !== 'end') open.set(key, { kind, text: (known?.text ?? '') + text, metadata })
      if (step === 'end') return close(key)
      return text === '' ? [] : [{ type: kind === 'text' ? 'textDelta' : 'reasoningDelta', part: key, text }]
    },
    end: () => [...open.keys()].flatMap(close),
  }
}

/** Creates a reader of files that the model makes; a line of text goes back in their place. */
function createFiles(history: object[]) {
  let count = 0
  return {
    take(part: JsonRecord): readonly ModelEvent[] {
      const base64 = stringAt(part, 'data') ?? stringAt(recordAt(part, 'data') ?? {}, 'data') ?? ''
      if (base64 === '') return []
      const picture = { mediaType: stringAt(part, 'mediaType') ?? '', base64 }
      const metadata = part['providerMetadata']
      history.push({
        type: 'text',
        text: pictureText(picture),
        ...(metadata === undefined ? {} : { providerOptions: metadata }),
      })
      count += 1
      return [pictureEvent(count - 1, picture)]
    },
  }
}

/** Creates a reader of calls, which adds each whole call to the history. */
function createCalls(request: ModelRequest, history: object[]) {
  const ids = createCallIds(request.entries)
  const progress = createCallProgress()

  function whole(part: JsonRecord): readonly ModelEvent[] {
    const { input, providerMetadata: metadata } = part
    const written = typeof input === 'string' ? input : JSON.stringify(input ?? {})
    const named = { name: stringAt(part, 'toolName') ?? '', arguments: written === '' ? '{}' : written }
    const given = stringAt(part, 'toolCallId') ?? ''
    const callId = ids.claim({ ...named, callId: given })
    if (callId === undefined) return []
    const call = { callId, ...named }
    history.push({ ...callPart(call), ...(metadata === undefined ? {} : { providerOptions: metadata }) })
    return [{ type: 'call', part: `call-${given || callId}`, ...call }]
  }

  return {
    take(part: JsonRecord, type: string): readonly ModelEvent[] {
      if (part['providerExecuted'] === true) return []
      const out: ModelEvent[] = []
      const key = `call-${stringAt(part, 'id') ?? ''}`
      if (type === 'tool-call') return whole(part)
      if (type === 'tool-input-start') progress.begin(key, stringAt(part, 'toolName'), out)
      if (type === 'tool-input-delta') progress.grow(key, stringAt(part, 'delta') ?? '', out)
      return out
    },
  }
}

const noReason = { unfinished: 'the stream of the provider broke off' } as const

/**
 * Returns why a response ended: a word in version 2, an object with the word since version 3. A package with a broken
 * stream finishes all the same, without a word of the provider.
 */
function stopOf(reason: unknown): StopReason | typeof noReason | { readonly error: unknown } {
  const word = isRecord(reason) ? reason['unified'] : reason
  const raw = isRecord(reason) ? reason['raw'] : undefined
  if (word === 'length') return 'length'
  if (word === 'interrupted' || word === 'unknown' || word === undefined) return noReason
  if (word === 'other' && isRecord(reason) && raw === undefined) return noReason
  if (word === 'error') return { error: { message: endedInError(raw) } }
  return word === 'content-filter' ? 'filter' : 'stop'
}

function endedInError(raw: unknown): string {
  return typeof raw === 'string'
    ? `the provider ended the answer with ${raw}`
    : 'the provider ended the answer with an error'
}

/** Returns the counts: plain numbers in version 2, parts of a total since version 3. */
function usageOf(usage: JsonRecord | undefined): TokenUsage {
  if (usage === undefined) return zeroUsage
  const input = recordAt(usage, 'inputTokens')
  const output = recordAt(usage, 'outputTokens')
  const written = input === undefined ? undefined : numberAt(input, 'cacheWrite')
  return {
    inputTokens: (input === undefined ? numberAt(usage, 'inputTokens') : numberAt(input, 'total')) ?? 0,
    cachedInputTokens: (input === undefined ? numberAt(usage, 'cachedInputTokens') : numberAt(input, 'cacheRead')) ?? 0,
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    outputTokens: (output === undefined ? numberAt(usage, 'outputTokens') : numberAt(output, 'total')) ?? 0,
    reasoningTokens: (output === undefined ? numberAt(usage, 'reasoningTokens') : numberAt(output, 'reasoning')) ?? 0,
  }
}
