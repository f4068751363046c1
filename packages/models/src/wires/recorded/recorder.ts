import { chmodSync } from 'node:fs'
import { appendUnlocked } from '@parley/host'
import { redactParts } from '@parley/redaction'
import { isTerminal, type ModelClient, type ModelEvent, type ModelRequest } from '../../port/model-client.ts'
import type { RecordedResponse } from './recording.ts'
import { digestForLine, digestRequest } from './request-digest.ts'

export interface RecorderOptions {
  /** Path of the JSONL, which lines are appended to. Only its owner may read it, since it holds the conversation. */
  readonly path: string
  /** Returns an id that is unique within the file. */
  readonly newId: () => string
  /** Replaces the secrets in a text. */
  readonly redact: (text: string) => string
  /** Called with the error when a line cannot be written; the conversation continues. */
  readonly onProblem: (error: unknown) => void
}

/** Returns a client that also writes every response to a file, one line per response. */
export function createRecorder(client: ModelClient, options: RecorderOptions): ModelClient {
  let known: readonly string[] = []
  const write = (request: ModelRequest, events: readonly ModelEvent[]): void => {
    const whole = digestRequest(request)
    const response: RecordedResponse = {
      id: options.newId(),
      events: redactParts(joinDeltas(events), options.redact),
      request: digestForLine(whole, known),
    }
    try {
      appendUnlocked(options.path, `${JSON.stringify(response)}\n`)
      chmodSync(options.path, 0o600)
      if (events.at(-1)?.type === 'completed') known = whole.entries
    } catch (error) {
      options.onProblem(error)
    }
  }
  return {
    adapter: client.adapter,
    ...(client.toolRules === undefined ? {} : { toolRules: client.toolRules }),
    listModels: (signal) => client.listModels(signal),
    stream: (request, signal) => recordStream(client.stream(request, signal), (events) => write(request, events)),
  }
}

/** Streams the events and writes them before the last one is sent, so that a complete response is on disk. */
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

/** Removes the deltas of a text that is there whole; joins the others. */
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
