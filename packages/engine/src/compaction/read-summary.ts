import type { ModelEvent, ModelFailure } from '@parley/models'
import { type Failure, limits } from '@parley/protocol'
import { firstBytes, utf8Length } from '@parley/text'
import { createResponseSize } from '../model-calls/response-size.ts'

/** Outcome of the requests for a summary. */
export type SummaryOutcome =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' }

/** End of one request for a summary; after a fault it may be made again. */
export type SummaryEnd = SummaryOutcome | { readonly kind: 'fault'; readonly fault: ModelFailure }

type Stop = Extract<ModelEvent, { type: 'completed' }>['stop']

/** Bytes of a summary; a longer one is cut, since it would defeat its purpose. */
const maxSummaryBytes = 48 * 1024

const cutMark = '[The summary is cut here.]'

export const stillTooLong: Failure = {
  code: 'contextTooLong',
  message: 'Even its newest part is longer than the model that writes the summary can read.',
}

const noText: Failure = {
  code: 'outputLimit',
  message: 'The summary reached the output limit before its first word.',
}

const filtered: Failure = {
  code: 'filtered',
  message: "The provider's content filter stopped the summary.",
}

const windowFull: ModelFailure = {
  code: 'contextTooLong',
  message: 'The request for a summary leaves the model no room to write it.',
  retry: 'never',
}

/** Reads a response as a summary. A cut summary gets a mark; a refused one is a failure. */
function endOfSummary(text: string, stop: Stop): SummaryEnd {
  if (stop === 'filter') return { kind: 'failed', failure: filtered }
  if (stop === 'context') return { kind: 'fault', fault: windowFull }
  if (stop === 'length' && text === '') return { kind: 'failed', failure: noText }
  const kept = firstBytes(text, maxSummaryBytes)
  const isCut = (text !== '' && stop !== 'stop') || kept !== text
  return { kind: 'written', text: isCut ? `${kept}\n\n${cutMark}` : kept }
}

interface Hearing {
  readonly onText: (delta: string) => void
  readonly onUsage: (usage: Extract<ModelEvent, { type: 'completed' }>['usage']) => void
}

/** Reads a summary from a model's answer. Resolves to how the request ended; calls of the model are not carried out. */
export async function readSummary(
  answer: AsyncIterable<ModelEvent>,
  { onText, onUsage }: Hearing,
): Promise<SummaryEnd> {
  const texts = new Map<string, string>()
  const whole = () => [...texts.values()].join('\n\n').trim()
  const size = createResponseSize()
  let textBytes = 0
  for await (const event of answer) {
    if (event.type === 'aborted') return { kind: 'aborted' }
    if (event.type === 'failed') return { kind: 'fault', fault: event.failure }
    if (event.type === 'completed') {
      onUsage(event.usage)
      return endOfSummary(whole(), event.stop)
    }
    size.add(event)
    if (event.type === 'textDelta') {
      texts.set(event.part, (texts.get(event.part) ?? '') + event.text)
      textBytes += utf8Length(event.text)
      onText(event.text)
    } else keepEnd(texts, event)
    // A summary that does not end is stopped: it would fill the log.
    if (textBytes > maxSummaryBytes || size.bytes() > limits.response) return endOfSummary(whole(), 'length')
  }
  const message = 'The summary ended without saying that it was complete.'
  return { kind: 'fault', fault: { code: 'streamCut', message, retry: 'short' } }
}

/** Keeps the whole text of a part, but drops text that turns out to be reasoning. */
function keepEnd(texts: Map<string, string>, event: ModelEvent): void {
  if (event.type === 'textDone') texts.set(event.part, event.text)
  if (event.type === 'reasoningDone') texts.delete(event.part)
}
