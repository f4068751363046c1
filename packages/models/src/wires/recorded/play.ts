import { isTerminal, type ModelEvent } from '../../port/model-client.ts'
import type { ClientPorts } from '../../port/wire.ts'
import { recordedPart } from './choose-response.ts'
import type { RecordedResponse } from './recording.ts'

export type Choice = RecordedResponse | Extract<ModelEvent, { type: 'failed' }>

export interface PlayOptions {
  /** True when text streams at reading speed. */
  readonly paced: boolean
  /** Waits between two events; by default a timer. */
  readonly sleep?: NonNullable<ClientPorts['sleep']>
}

/** Streams the chosen response, or the failure in its place. */
export async function* play(
  choose: () => Promise<Choice>,
  { paced, sleep = sleepFor }: PlayOptions,
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
    if (isWhole && !streamed.has(event.part)) paced.push(...words(event))
    paced.push({ event, delayMs: 0 })
  }
  const [first, ...rest] = paced
  return first === undefined ? [] : [{ ...first, delayMs: firstDelayMs }, ...rest]
}

function words(event: Extract<ModelEvent, { type: 'textDone' | 'reasoningDone' }>): readonly PacedEvent[] {
  const type = event.type === 'textDone' ? 'textDelta' : 'reasoningDelta'
  const pieces = event.text.match(/\s*\S+\s*/g) ?? []
  return pieces.map((text) => ({ event: { type, part: event.part, text }, delayMs: wordDelayMs }))
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
