import { chooseRecorded, countRecorded, RECORDED_ADAPTER, recordedPart } from './choose-response.ts'
import { type FailureCode, isTerminal, type ModelClient, type ModelEvent, type ModelRequest, ZERO_USAGE } from '../../port/model-client.ts'
import type { ParsedRecording, RecordedResponse } from './recording.ts'
import { digestRequest, firstDifference } from './request-digest.ts'

type Sleep = (delayMs: number, signal: AbortSignal) => Promise<void>

export interface RecordedOptions {
  /** The JSONL; read once, at the first request. */
  readonly read: () => string | Promise<string>
  /** `lenient` plays on whatever the user does; `strict` stops at the first request that differs. */
  readonly mode: 'lenient' | 'strict'
  /** Text streams visibly, in real time. */
  readonly paced: boolean
  /** Must settle, either way, when the signal fires. Only used when paced. */
  readonly sleep?: Sleep
}

const RECORDING_ENDS = 'The recording ends here.'

type Choice = RecordedResponse | Extract<ModelEvent, { type: 'failed' }>

/** A model that plays a recording. It keeps nothing between requests: where it is follows from the conversation. */
export function createRecordedClient(options: RecordedOptions): ModelClient {
  let parsed: Promise<ParsedRecording> | undefined
  const choose = async (request: ModelRequest): Promise<Choice> => {
    parsed ??= load(options.read)
    const recording = await parsed
    if (recording.type === 'unreadable') return failed('recordingUnreadable', sayUnreadable(recording.problem))
    const { responses } = recording
    if (options.mode === 'strict') return chooseStrictly(responses, request)
    return chooseRecorded(responses, request.entries) ?? ending()
  }
  return {
    adapter: RECORDED_ADAPTER,
    stream: (request, signal) => play(() => choose(request), options, signal),
    listModels: async () => ({ type: 'models', models: ['recorded'] }),
  }
}

async function* play(
  choose: () => Promise<Choice>,
  { paced, sleep = sleepFor }: RecordedOptions,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const chosen = await choose()
  const steps = 'events' in chosen ? stepsOf(chosen, paced) : [{ event: chosen, delayMs: 0 }]
  for (const { event, delayMs } of steps) {
    if (delayMs > 0 && !signal.aborted) await sleep(delayMs, signal).catch(() => {})
    if (signal.aborted) {
      yield { type: 'aborted' }
      return
    }
    yield event
    if (isTerminal(event)) return
  }
}

function stepsOf(response: RecordedResponse, paced: boolean) {
  const events = response.events.map((event) =>
    event.type === 'completed' ? { ...event, parts: [recordedPart(response.id)] } : event,
  )
  return paced ? paceEvents(events, response.delayMs ?? 0) : events.map((event) => ({ event, delayMs: 0 }))
}

function chooseStrictly(responses: readonly RecordedResponse[], request: ModelRequest): Choice {
  const at = countRecorded(request.entries)
  const response = responses[at]
  if (response === undefined) return ending()
  const difference = firstDifference(digestRequest(request), responses, at)
  if (difference === undefined) return response
  const message = `Request ${at + 1} is not the recorded one: ${difference} differs. Record it again, or play it leniently.`
  return failed('recordingMismatch', message)
}

function ending(): RecordedResponse {
  return {
    id: 'end',
    events: [
      { type: 'textDone', part: 'text-0', text: RECORDING_ENDS },
      { type: 'completed', parts: [], usage: ZERO_USAGE, stop: 'stop' },
    ],
  }
}

async function load(read: RecordedOptions['read']): Promise<ParsedRecording> {
  try {
    // Only who plays a recording pays for its schemas.
    const { parseRecording } = await import('./recording.ts')
    return parseRecording(await read())
  } catch (error) {
    return { type: 'unreadable', problem: error instanceof Error ? error.message : String(error) }
  }
}

function sayUnreadable(problem: string): string {
  return `The recording cannot be played: ${problem}.`
}

function failed(code: FailureCode, message: string): Extract<ModelEvent, { type: 'failed' }> {
  return { type: 'failed', failure: { code, message, retry: 'never' } }
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

interface PacedEvent {
  readonly event: ModelEvent
  /** To wait before it. */
  readonly delayMs: number
}

const WORD_DELAY_MS = 30

/** Pure: whole texts become the words they are made of, in time, as a model would send them. */
function paceEvents(events: readonly ModelEvent[], firstDelayMs: number): readonly PacedEvent[] {
  const streamed = new Set<string>()
  const paced: PacedEvent[] = []
  for (const event of events) {
    if (event.type === 'textDelta' || event.type === 'reasoningDelta') streamed.add(event.part)
    const isWhole = event.type === 'textDone' || event.type === 'reasoningDone'
    if (isWhole && !streamed.has(event.part)) paced.push(...words(event))
    paced.push({ event, delayMs: 0 })
  }
  const [first, ...rest] = paced
  return first === undefined ? [] : [{ ...first, delayMs: firstDelayMs }, ...rest]
}

function words(event: Extract<ModelEvent, { type: 'textDone' | 'reasoningDone' }>): readonly PacedEvent[] {
  const type = event.type === 'textDone' ? 'textDelta' : 'reasoningDelta'
  const pieces = event.text.match(/\s*\S+\s*/g) ?? []
  return pieces.map((text) => ({ event: { type, part: event.part, text }, delayMs: WORD_DELAY_MS }))
}
