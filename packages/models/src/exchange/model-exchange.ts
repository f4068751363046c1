import { type Explain, isEncoded, isPage } from '../failures/explain.ts'
import { refusedEntries } from '../failures/refused-entries.ts'
import { type HttpChunk, type HttpExchange, type HttpHead, readText } from '../http/http-exchange.ts'
import { Watchdog } from '../http/watchdog.ts'
import {
  isTerminal,
  type ModelEntry,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
} from '../port/model-client.ts'
import { type HttpWire, type RequestBody, type WireReader, type WriteRequest, wireNameOf } from '../port/wire.ts'
import { type BodyReader, createBodyReader } from './body-reader.ts'
import type { Endpoint, EndpointRequest } from './endpoint.ts'

/** Streams one response. A single generator, since each nested `yield*` would cost every delta another promise. */
export async function* streamModel(
  plan: ExchangePlan,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  if (signal.aborted) return yield { type: 'aborted' }
  const exchange = new ModelExchange(plan, request, signal)
  try {
    for (;;) {
      for (const event of await exchange.nextBatch()) {
        if (signal.aborted) return yield { type: 'aborted' }
        yield event
        if (isTerminal(event)) return
      }
    }
  } finally {
    exchange.close()
  }
}

/** Limit of immediate retries after a pooled connection that the server had closed. */
const maxStaleConnections = 3

const maxErrorBytes = 64 * 1024

interface ExchangePlan {
  readonly endpoint: Endpoint
  readonly wire: HttpWire
  readonly body: RequestBody
  /** Creates a writer without memory of earlier requests. */
  readonly newWriter: () => WriteRequest
}

/** Request to a model and its response, as batches of events. The last batch ends with the terminal event. */
class ModelExchange {
  readonly #endpoint: Endpoint
  readonly #call: EndpointRequest
  readonly #explain: Explain
  readonly #reader: WireReader
  readonly #wireName: string
  readonly #watchdog: Watchdog
  #http: HttpExchange | undefined
  #body: BodyReader | undefined
  #completed = false
  /** Body of an error. */
  #refusal = ''
  readonly #refusedIn: (failure: ModelFailure) => ModelFailure

  constructor(plan: ExchangePlan, request: ModelRequest, signal: AbortSignal) {
    const { endpoint, wire, body } = plan
    this.#refusedIn = (failure) => withRefusedEntries(failure, this.#refusal, { plan, request })
    this.#endpoint = endpoint
    this.#call = { method: 'POST', path: wire.requestPath(request.model), body }
    this.#explain = endpoint.explain(request.model, endpoint.idleMs)
    this.#reader = wire.createReader(request, this.#explain.wire)
    this.#wireName = wireNameOf(wire)
    const limits = { idleMs: endpoint.idleMs, totalMs: endpoint.limits.maxResponseMs }
    this.#watchdog = new Watchdog(signal, limits, () => this.#http?.destroy())
  }

  /** Resolves with the next events, at least one. Never rejects. */
  async nextBatch(): Promise<readonly ModelEvent[]> {
    this.#watchdog.hold(false)
    const failure = this.#http === undefined ? await this.#begin() : undefined
    let batch: readonly ModelEvent[] = failure === undefined ? [] : [this.#failed(failure)]
    while (batch.length === 0 && this.#http !== undefined) batch = this.#read(await this.#http.next())
    const last = batch.at(-1)
    this.#completed = last?.type === 'completed'
    this.#watchdog.hold(true)
    if (last?.type !== 'failed' || last.failure.refused === undefined) return batch
    return batch.with(-1, { type: 'failed', failure: this.#refusedIn(last.failure) })
  }

  /** Returns the connection of a complete response to the pool; closes any other. */
  close(): void {
    const isReusable = this.#completed && this.#watchdog.trip === undefined
    this.#watchdog.stop()
    if (isReusable) void this.#http?.drain()
    else this.#http?.destroy()
  }

  async #begin(): Promise<ModelFailure | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      const opened = this.#endpoint.open(this.#call)
      if (opened.type === 'failed') return opened.failure
      this.#http = opened.exchange
      const head = await opened.exchange.head()
      if (head.type === 'head') return this.#accept(head, opened.exchange)
      const stale = head.reusedSocket && this.#watchdog.trip === undefined && attempt < maxStaleConnections
      if (!stale) return this.#explain.network(head, false)
    }
  }

  async #accept(head: HttpHead, http: HttpExchange): Promise<ModelFailure | undefined> {
    if (head.status < 200 || head.status > 299) {
      this.#refusal = await readText(http, maxErrorBytes)
      return this.#explain.refusal(head, this.#refusal)
    }
    const { 'content-type': contentType = '', 'content-encoding': encoding = '' } = head.headers
    if (isEncoded(encoding)) return this.#explain.encoded(encoding)
    if (isPage(contentType)) return this.#explain.notAModel(contentType)
    const { limits } = this.#endpoint
    this.#body = createBodyReader({ reader: this.#reader, explain: this.#explain, limits, wireName: this.#wireName })
    return undefined
  }

  #read(chunk: HttpChunk): readonly ModelEvent[] {
    const body = this.#body
    if (body === undefined) return []
    if (chunk.type !== 'chunk' || this.#watchdog.trip !== undefined) return this.#atEnd(body, chunk)
    const { events, alive } = body.read(chunk.bytes)
    if (alive) this.#watchdog.alive()
    return events
  }

  #atEnd(body: BodyReader, chunk: HttpChunk): readonly ModelEvent[] {
    if (this.#watchdog.trip === 'aborted') return [{ type: 'aborted' }]
    const events = body.end()
    const last = events.at(-1)
    if (last?.type !== 'failed' || last.failure.code !== 'streamCut') return events
    const failure = chunk.type === 'fault' ? this.#explain.network(chunk, true) : last.failure
    return [...events.slice(0, -1), this.#failed(failure)]
  }

  /** Returns the terminal event: the watchdog's reason if it ended the response, else the failure. */
  #failed(failure: ModelFailure): ModelEvent {
    const { trip } = this.#watchdog
    if (trip === 'aborted') return { type: 'aborted' }
    return { type: 'failed', failure: trip === undefined ? failure : this.#explain.trip(trip) }
  }
}

/** Returns a refusal with the entries that its words name, if they are about entries at all. */
function withRefusedEntries(
  failure: ModelFailure,
  body: string,
  { plan, request }: { readonly plan: ExchangePlan; readonly request: ModelRequest },
): ModelFailure {
  const newest = plan.newWriter()
  const write = (entries: readonly ModelEntry[]) => Buffer.concat(newest({ ...request, entries })).toString('utf8')
  const { refused: _, ...rest } = failure
  const refused = refusedEntries(failure.message, body, { entries: request.entries, write })
  return refused === null ? rest : { ...rest, refused }
}
