import { chmodSync } from 'node:fs'
import { appendUnlocked } from '@parley/host'
import { redactStrings } from '@parley/redaction'
import { isTerminal, type ModelClient, type ModelEvent, type ModelRequest } from '../../port/model-client.ts'
import type { RecordedResponse } from './recording.ts'
import { digestForLine, digestRequest } from './request-digest.ts'

export interface RecorderOptions {
  /** JSONL, appended to, readable by its owner only: it holds the conversation. */
  readonly path: string
  /** Unique within the file. */
  readonly newId: () => string
  /** What takes the secrets out of a text. */
  readonly redact: (text: string) => string
  /** A recording that cannot be written does not stop the conversation. */
  readonly onProblem: (error: unknown) => void
}

/** The same client; what it streams is also written down, one line per response. */
export function createRecorder(client: ModelClient, options: RecorderOptions): ModelClient {
  let known: readonly string[] = []
  const write = (request: ModelRequest, events: readonly ModelEvent[]): void => {
    const whole = digestRequest(request)
    const response: RecordedResponse = {
      id: options.newId(),
      events: redactStrings(joinDeltas(events), options.redact),
      request: digestForLine(whole, known),
    }
    try {
      appendUnlocked(options.path, `${JSON.stringify(response)}\n`)
      chmodSync(options.path, 0o600)
      if (isComplete(events)) known = whole.entries
    } catch (error) {
      options.onProblem(error)
    }
  }
  return {
    adapter: client.adapter,
    listModels: (signal) => client.listModels(signal),
    stream: (request, signal) => recordStream(client.stream(request, signal), (events) => write(request, events)),
  }
}

/** Written before the last event is handed on: what was seen whole is on disk. */
async function* recordStream(
  stream: AsyncIterable<ModelEvent>,
  write: (events: readonly ModelEvent[]) => void,
): AsyncGenerator<ModelEvent, void, undefined> {
  const events: ModelEvent[] = []
  let ended = false
  try {
    for await (const event of stream) {
      events.push(event)
      ended = isTerminal(event)
      if (ended) write(events)
      yield event
    }
  } finally {
    if (!ended) write([...events, { type: 'aborted' }])
  }
}

/** The whole says what its deltas said; deltas stay only where no whole came. */
function joinDeltas(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const whole = new Set(
    events.flatMap((event) => (event.type === 'textDone' || event.type === 'reasoningDone' ? [event.part] : [])),
  )
  const joined: ModelEvent[] = []
  for (const event of events) {
    const last = joined.at(-1)
    if (event.type === 'callDelta') continue
    if (event.type !== 'textDelta' && event.type !== 'reasoningDelta') joined.push(event)
    else if (whole.has(event.part)) continue
    else if (last?.type === event.type && last.part === event.part) {
      joined[joined.length - 1] = { ...last, text: last.text + event.text }
    } else joined.push(event)
  }
  return joined
}

function isComplete(events: readonly ModelEvent[]): boolean {
  return events.at(-1)?.type === 'completed'
}
