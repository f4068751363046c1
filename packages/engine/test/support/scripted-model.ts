import {
  type ModelCall,
  type ModelClient,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  type TokenUsage,
  zeroUsage,
} from '@parley/models'

export interface ScriptedCall {
  readonly name: string
  /** Arguments of the call: a value is sent as JSON, a string unchanged. */
  readonly args: unknown
  readonly id?: string
}

export interface Answer {
  readonly reasoning?: string
  /** Reasoning that is no summary. */
  readonly rawReasoning?: string
  /** Picture in base64 that comes before the text. */
  readonly picture?: string
  /** Text in pieces, each a delta. */
  readonly text?: string | readonly string[]
  readonly calls?: readonly ScriptedCall[]
  /** Tool whose call the model begins to write first. */
  readonly begins?: string
  /** Form of the response in the provider's protocol. */
  readonly parts?: readonly unknown[]
  readonly usage?: Partial<TokenUsage>
  readonly stop?: 'stop' | 'length' | 'filter' | 'context' | 'paused'
  /** Words of the provider on why it stopped. */
  readonly why?: string
  /** Failure that ends the response instead of its completion. */
  readonly failure?: Partial<ModelFailure>
  /** Called and awaited before the end or the failure is sent; the signal ends the wait. */
  readonly gate?: Promise<unknown>
  /** Set for a response that never ends by itself. */
  readonly hang?: boolean
}

export type Step = Answer | ((request: ModelRequest) => Answer | Promise<Answer>)

export interface ScriptedModel {
  readonly client: ModelClient
  readonly requests: readonly ModelRequest[]
  script(...steps: readonly Step[]): void
}

/** Model that plays a script, one step for each request; after the script it answers "done". */
export function scriptedModel(...steps: readonly Step[]): ScriptedModel {
  const queue = [...steps]
  const requests: ModelRequest[] = []
  let made = 0
  const nextId = () => `call_${++made}`

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    requests.push(request)
    const step = queue.shift() ?? { text: 'done' }
    const answer = typeof step === 'function' ? await step(request) : step
    for (const event of eventsOf(answer, nextId)) {
      if (signal.aborted) return yield { type: 'aborted' }
      yield event
    }
    await Promise.race([answer.hang === true ? new Promise(() => {}) : answer.gate, aborted(signal)])
    if (signal.aborted) return yield { type: 'aborted' }
    yield endOf(answer)
  }

  return {
    requests,
    script: (...more) => void queue.push(...more),
    client: {
      adapter: 'scripted/1',
      stream,
      listModels: () => Promise.resolve({ type: 'models', models: ['m1'] }),
    },
  }
}

function eventsOf(
  { reasoning, rawReasoning, picture, text, calls = [], begins, failure }: Answer,
  nextId: () => string,
): ModelEvent[] {
  const pieces = typeof text === 'string' ? [text] : (text ?? [])
  const whole = pieces.join('')
  const events: ModelEvent[] = []
  if (begins !== undefined) events.push({ type: 'callDelta', part: 'b0', name: begins, argumentBytes: 0 })
  if (reasoning !== undefined) {
    events.push({ type: 'reasoningDelta', part: 'r0', text: reasoning })
    events.push({ type: 'reasoningDone', part: 'r0', text: reasoning })
  }
  if (rawReasoning !== undefined) {
    events.push({ type: 'reasoningDelta', part: 'w0', text: rawReasoning, raw: true })
    events.push({ type: 'reasoningDone', part: 'w0', text: rawReasoning, raw: true })
  }
  if (picture !== undefined) events.push({ type: 'picture', part: 'p0', mediaType: 'image/png', base64: picture })
  for (const piece of pieces) events.push({ type: 'textDelta', part: 't0', text: piece })
  if (whole !== '' && failure === undefined) events.push({ type: 'textDone', part: 't0', text: whole })
  for (const call of calls) events.push({ type: 'call', part: `c${events.length}`, ...modelCall(call, nextId) })
  return events
}

function modelCall({ name, args, id }: ScriptedCall, nextId: () => string): ModelCall {
  return { callId: id ?? nextId(), name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
}

function endOf({ failure, usage, stop = 'stop', why, text, parts = [{ said: text ?? '' }] }: Answer): ModelEvent {
  if (failure !== undefined) {
    const known: ModelFailure = { code: 'streamCut', message: 'The connection was cut.', retry: 'short', ...failure }
    return { type: 'failed', failure: known }
  }
  return {
    type: 'completed',
    parts: [...parts],
    usage: { ...zeroUsage, ...usage },
    stop,
    ...(why === undefined ? {} : { why }),
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
