import type { ModelEvent } from '@parley/models'
import { limits } from '@parley/protocol'
import { utf8Length } from '@parley/text'
import { createResponseSize } from '../turn/response-recorder.ts'
import { endOfSummary, maxSummaryBytes, type SummaryEnd } from './summary-end.ts'

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

/** Keeps the whole text of a part; none of what turns out to be reasoning. */
function keepEnd(texts: Map<string, string>, event: ModelEvent): void {
  if (event.type === 'textDone') texts.set(event.part, event.text)
  if (event.type === 'reasoningDone') texts.delete(event.part)
}
