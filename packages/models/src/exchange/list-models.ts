import type { Access } from './endpoint.ts'
import { isRecord, parseRecord } from '../wires/json.ts'
import type { ModelListing } from '../port/model-client.ts'
import { readText } from '../http/http-exchange.ts'
import { Watchdog } from '../http/watchdog.ts'

const MAX_LIST_BYTES = 4 * 1024 * 1024

/** Asks the provider which models it offers; the same address on both wires. */
export async function listModels(access: Access, signal: AbortSignal, timeoutMs: number): Promise<ModelListing> {
  if (signal.aborted) return { type: 'aborted' }
  const opened = access.open({ method: 'GET', path: '/models' })
  if (opened.type === 'obstacle') return { type: 'failed', failure: opened.failure }
  const { exchange } = opened
  const explain = access.explain('')
  const watchdog = new Watchdog(signal, { idleMs: timeoutMs, totalMs: timeoutMs }, () => exchange.destroy())
  try {
    const head = await exchange.head()
    const body = head.type === 'head' ? await readText(exchange, MAX_LIST_BYTES) : ''
    if (watchdog.trip === 'aborted') return { type: 'aborted' }
    if (watchdog.trip !== undefined) return { type: 'failed', failure: explain.trip('idle') }
    if (head.type === 'fault') return { type: 'failed', failure: explain.network(head, false) }
    if (head.status !== 200) return { type: 'failed', failure: explain.refusal(head, body) }
    const models = readModelIds(body)
    return models === undefined
      ? { type: 'failed', failure: explain.notAModel(head.headers['content-type'] ?? 'something else') }
      : { type: 'models', models }
  } finally {
    watchdog.stop()
    exchange.destroy()
  }
}

function readModelIds(body: string): readonly string[] | undefined {
  const list = parseRecord(body)?.['data']
  if (!Array.isArray(list)) return undefined
  return list.flatMap((model: unknown) => (isRecord(model) && typeof model['id'] === 'string' ? [model['id']] : []))
}
