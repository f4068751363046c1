import { isEncoded } from '../failures/explain.ts'
import { loadHttp } from '../http/http-agents.ts'
import { readText } from '../http/http-exchange.ts'
import { Watchdog } from '../http/watchdog.ts'
import type { ClientPorts } from '../port/client-ports.ts'
import type { ListedModel, ModelClient, ModelListing } from '../port/model-client.ts'
import type { Provider } from '../port/provider.ts'
import type { HttpWire, Wire } from '../port/wire.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'
import { streamModel } from './model-exchange.ts'

const maxListBytes = 4 * 1024 * 1024

/** Makes a wire over HTTP available: its clients send requests to the address of a provider. */
export function overHttp(wire: HttpWire): Wire {
  return {
    createClient: (provider, ports) => createHttpClient(wire, provider, ports),
  }
}

function createHttpClient(wire: HttpWire, provider: Provider, ports: ClientPorts): ModelClient {
  const endpoint = createEndpoint(provider, wire, ports)
  // Only the provider that encrypted reasoning or signed a thought can read it, so its id is part of the name.
  const adapter = `${wire.version}:${provider.id}`
  const newWriter = () => wire.createWriter(adapter)
  const write = newWriter()
  return {
    adapter,
    toolRules: wire.toolRules,
    warmUp: () => loadHttp(provider.baseUrl),
    stream: (request, signal) => streamModel({ endpoint, wire, body: write(request), newWriter }, request, signal),
    listModels: (signal) => listModels(endpoint, wire, signal),
  }
}

/** Returns the listing of these models, with the facts that their list says. */
export function listingOf(models: readonly ListedModel[]): ModelListing {
  const facts = models.flatMap(({ id, ...said }) => (Object.keys(said).length === 0 ? [] : [[id, said] as const]))
  return {
    type: 'models',
    models: models.map(({ id }) => id),
    ...(facts.length === 0 ? {} : { facts: Object.fromEntries(facts) }),
  }
}

async function listModels(endpoint: Endpoint, wire: HttpWire, signal: AbortSignal): Promise<ModelListing> {
  if (signal.aborted) return { type: 'aborted' }
  const opened = endpoint.open({ method: 'GET', path: wire.modelsPath })
  if (opened.type === 'failed') return opened
  const { exchange } = opened
  const { listTimeoutMs: timeoutMs } = endpoint.limits
  const explain = endpoint.explain('', timeoutMs)
  const watchdog = new Watchdog(signal, { idleMs: timeoutMs, totalMs: timeoutMs }, () => exchange.destroy())
  try {
    const head = await exchange.head()
    const body = head.type === 'head' ? await readText(exchange, maxListBytes) : ''
    if (watchdog.trip === 'aborted') return { type: 'aborted' }
    if (watchdog.trip !== undefined) return { type: 'failed', failure: explain.trip('idle') }
    if (head.type === 'fault') return { type: 'failed', failure: explain.network(head, false) }
    if (head.status !== 200) return { type: 'failed', failure: explain.refusal(head, body) }
    const { 'content-encoding': encoding = '' } = head.headers
    if (isEncoded(encoding)) return { type: 'failed', failure: explain.encoded(encoding) }
    const models = wire.readModels(body)
    return models === undefined
      ? { type: 'failed', failure: explain.notAModel(head.headers['content-type'] ?? 'something else') }
      : listingOf(models)
  } finally {
    watchdog.stop()
    exchange.destroy()
  }
}
