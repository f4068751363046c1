import {
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type TokenUsage,
  zeroUsage,
} from '../../port/model-client.ts'
import { isRecord, type JsonRecord, numberAt, recordAt, stringAt } from '../json.ts'
import { createCallIds, createCallProgress } from '../tool-calls.ts'
import { callPart } from './write-call.ts'

/** Reader of the parts of one response. Nothing follows a terminal event. */
export interface PartReader {
  /** Returns the events of a part of the stream; the error of an `error` part. */
  read(part: unknown): readonly ModelEvent[] | { readonly error: unknown }
}

/** Creates a reader of stream parts of the AI SDK's language models, of version 2 to 4 of the interface. */
export function createPartReader(request: ModelRequest): PartReader {
  const texts = new Map<string, { text: string; metadata: unknown }>()
  const ids = createCallIds(request.entries)
  const progress = createCallProgress()
  const history: object[] = []

  function open(part: JsonRecord, key: string): readonly ModelEvent[] {
    texts.set(key, { text: '', metadata: part['providerMetadata'] })
    return []
  }

  function grow(part: JsonRecord, key: string, type: 'textDelta' | 'reasoningDelta'): readonly ModelEvent[] {
    const text = stringAt(part, 'delta') ?? ''
    const known = texts.get(key) ?? { text: '', metadata: undefined }
    known.text += text
    known.metadata = part['providerMetadata'] ?? known.metadata
    texts.set(key, known)
    return text === '' ? [] : [{ type, part: key, text }]
  }

  function close(part: JsonRecord, key: string, kind: 'text' | 'reasoning'): readonly ModelEvent[] {
    const known = texts.get(key)
    if (known === undefined) return []
    texts.delete(key)
    const metadata = part['providerMetadata'] ?? known.metadata
    const isSigned = metadata !== undefined
    if (known.text !== '' || isSigned)
      history.push({ type: kind, text: known.text, ...(isSigned ? { providerOptions: metadata } : {}) })
    return known.text === ''
      ? []
      : [{ type: kind === 'text' ? 'textDone' : 'reasoningDone', part: key, text: known.text }]
  }

  function callOf(part: JsonRecord): readonly ModelEvent[] {
    if (part['providerExecuted'] === true) return []
    const input = part['input']
    const written = typeof input === 'string' ? input : JSON.stringify(input ?? {})
    const named = { name: stringAt(part, 'toolName') ?? '', arguments: written === '' ? '{}' : written }
    const given = stringAt(part, 'toolCallId') ?? ''
    const callId = ids.claim({ ...named, callId: given })
    if (callId === undefined) return []
    const call = { callId, ...named }
    const metadata = part['providerMetadata']
    history.push({ ...callPart(call), ...(metadata === undefined ? {} : { providerOptions: metadata }) })
    return [{ type: 'call', part: `call-${given || callId}`, ...call }]
  }

  function finish(part: JsonRecord): readonly ModelEvent[] {
    const left = [...texts.keys()].flatMap((key) => close({}, key, key.startsWith('text') ? 'text' : 'reasoning'))
    const usage = usageOf(recordAt(part, 'usage'))
    return [...left, { type: 'completed', parts: history, usage, stop: stopOf(part['finishReason']) }]
  }

  return {
    read(part) {
      if (!isRecord(part)) return []
      const id = stringAt(part, 'id') ?? ''
      const out: ModelEvent[] = []
      switch (part['type']) {
        case 'text-start':
          return open(part, `text-${id}`)
        case 'text-delta':
          return grow(part, `text-${id}`, 'textDelta')
        case 'text-end':
          return close(part, `text-${id}`, 'text')
        case 'reasoning-start':
          return open(part, `reasoning-${id}`)
        case 'reasoning-delta':
          return grow(part, `reasoning-${id}`, 'reasoningDelta')
        case 'reasoning-end':
          return close(part, `reasoning-${id}`, 'reasoning')
        case 'tool-input-start':
          if (part['providerExecuted'] !== true) progress.begin(`call-${id}`, stringAt(part, 'toolName'), out)
          return out
        case 'tool-input-delta':
          progress.grow(`call-${id}`, stringAt(part, 'delta') ?? '', out)
          return out
        case 'tool-call':
          return callOf(part)
        case 'finish':
          return finish(part)
        case 'error':
          return { error: part['error'] }
        default:
          return []
      }
    },
  }
}

/** Returns why a response ended: a word in version 2, an object with it since version 3. */
function stopOf(reason: unknown): StopReason {
  const word = isRecord(reason) ? reason['unified'] : reason
  if (word === 'length') return 'length'
  return word === 'content-filter' ? 'filter' : 'stop'
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
