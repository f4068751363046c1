import { readUnlocked } from '@parley/host'
import { errorMessage } from '@parley/text'
import type { ClientPorts } from '../../port/client-ports.ts'
import {
  type FailureCode,
  isTerminal,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  zeroUsage,
} from '../../port/model-client.ts'
import type { Wire } from '../../port/wire.ts'
import { chooseRecorded, countRecorded, recordedAdapter, recordedPart } from './choose-response.ts'
import type { ParsedRecording, RecordedResponse } from './recording.ts'
import { digestRequest, firstDifference } from './request-digest.ts'

/** Wire that plays the recording of a provider in place of a model. */
export const recordedWire: Wire = {
  createClient: ({ recording }, { paced = false, sleep }) =>
    createRecordedClient({
      read: () => readRecording(recording),
      mode: 'lenient',
      paced,
      ...(sleep === undefined ? {} : { sleep }),
    }),
}

function readRecording(path: string | undefined): string {
  if (path === undefined) throw new Error('the provider names no recording')
  return readUnlocked(path)
}

export interface RecordedOptions extends PlayOptions {
  /** Returns the JSONL; called once, at the first request. */
  readonly read: () => string | Promise<string>
  /** `lenient` continues after any request; `strict` fails at the first request that differs from the recorded one. */
  readonly mode: 'lenient' | 'strict'
}

/** Creates a client that plays a recording. Its place in the recording follows from the conversation alone. */
export function createRecordedClient(options: RecordedOptions): ModelClient {
  let parsed: Promise<ParsedRecording> | undefined
  const choose = async (request: ModelRequest): Promise<PlayedResponse> => {
    parsed ??= load(options.read)
    const recording = await parsed
    if (recording.type === 'unreadable') {
      return failed('recordingUnreadable', `The recording cannot be played: ${recording.problem}.`)
    }
    const { responses } = recording
    if (options.mode === 'strict') return chooseStrictly(responses, request)
    return chooseRecorded(responses, request.entries) ?? ending()
  }
  return {
    adapter: recordedAdapter,
    stream: (request, signal) => play(() => choose(request), options, signal),
    listModels: async () => ({ type: 'models', models: ['recorded'] }),
  }
}

async function load(read: RecordedOptions['read']): Promise<ParsedRecording> {
  try {
    // Imported on first use: only playing a recording needs its schemas.
    const { parseRecording } = await import('./recording.ts')
    return parseRecording(await read())
  } catch (error) {
    return { type: 'unreadable', problem: errorMessage(error) }
  }
}

function chooseStrictly(responses: readonly RecordedResponse[], request: ModelRequest): PlayedResponse {
  const index = countRecorded(request.entries)
  const response = responses[index]
  if (response === undefined) return ending()
  const difference = firstDifference(digestRequest(request), responses, index)
  if (difference === undefined) return response
  const message = `Request ${index + 1} is not the recorded one: ${difference} differs. Record it again, or play it leniently.`
  return failed('recordingMismatch', message)
}

function ending(): RecordedResponse {
  return {
    id: 'end',
    events: [
      { type: 'textDone', part: 'text-0', text: 'The recording ends here.' },
      { type: 'completed', parts: [], usage: zeroUsage, stop: 'stop' },
    ],
  }
}

function failed(code: FailureCode, message: string): PlayedResponse {
  return { type: 'failed', failure: { code, message, retry: 'never' } }
}

type PlayedResponse = RecordedResponse | Extract<ModelEvent, { type: 'failed' }>

interface PlayOptions {
  /** True when text streams at reading speed. */
  readonly paced: boolean
  /** Waits between two events; by default a timer. */
  readonly sleep?: NonNullable<ClientPorts['sleep']>
}

/** Streams the chosen response, or the failure in its place. */
async function* play(
  choose: () => Promise<PlayedResponse>,
  { paced, sleep = sleepFor }: PlayOptions,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const chosen = await choose()
  const steps = 'events' in chosen ? stepsOf(chosen, paced) : [{ event: chosen, delayMs: 0 }]
  for (const { event, delayMs } of steps) {
    if (delayMs > 0 && !signal.aborted) await sleep(delayMs, signal).catch(() => {})
    if (signal.aborted) return yield { type: 'aborted' }
    yield event
    if (isTerminal(event)) return
  }
}

interface PacedEvent {
  readonly event: ModelEvent
  /** Wait before the event. */
  readonly delayMs: number
}

function stepsOf(response: RecordedResponse, paced: boolean): readonly PacedEvent[] {
  const events = response.events.map((event) =>
    event.type === 'completed' ? { ...event, parts: [recordedPart(response.id)] } : event,
  )
  return paced ? paceEvents(events, response.delayMs ?? 0) : events.map((event) => ({ event, delayMs: 0 }))
}

const wordDelayMs = 30

/** Splits whole texts into words with delays, as a model would send them. */
function paceEvents(events: readonly ModelEvent[], firstDelayMs: number): readonly PacedEvent[] {
  const streamed = new Set<string>()
  const paced: PacedEvent[] = []
  for (const event of events) {
    if (event.type === 'textDelta' || event.type === 'reasoningDelta') streamed.add(event.part)
    const isWhole = event.type === 'textDone' || event.type === 'reasoningDone'
    if (isWhole && !streamed.has(event.part)) for (const word of words(event)) paced.push(word)
    paced.push({ event, delayMs: 0 })
  }
  const [first, ...rest] = paced
  return first === undefined ? [] : [{ ...first, delayMs: firstDelayMs }, ...rest]
}

function words(event: Extract<ModelEvent, { type: 'textDone' | 'reasoningDone' }>): readonly PacedEvent[] {
  const pieces = event.text.match(/\s*\S+\s*/g) ?? []
  return pieces.map((text) => ({
    event:
      event.type === 'textDone' ? { ...event, type: 'textDelta', text } : { ...event, type: 'reasoningDelta', text },
    delayMs: wordDelayMs,
  }))
}

function sleepFor(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, delayMs)
    signal.addEventListener('abort', done, { once: true })
  })
}
