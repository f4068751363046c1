import type { ModelEvent } from './port.ts'

export interface PacedEvent {
  readonly event: ModelEvent
  /** To wait before it. */
  readonly delayMs: number
}

const WORD_DELAY_MS = 30

/** Pure: whole texts become the words they are made of, in time, as a model would send them. */
export function paceEvents(events: readonly ModelEvent[], firstDelayMs: number): readonly PacedEvent[] {
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
