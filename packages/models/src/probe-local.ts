import { ACCESS_LIMITS, createAccess, type ProviderConfig } from './exchange/endpoint.ts'
import { createRequestStarter } from './http/http-agents.ts'
import { listModels } from './exchange/list-models.ts'
import { LOCAL_PROVIDERS } from './registry.ts'

export interface LocalServer {
  readonly provider: ProviderConfig
  readonly models: readonly string[]
}

export interface ProbeOptions {
  readonly candidates?: readonly ProviderConfig[]
  readonly timeoutMs?: number
}

/** The local model servers that answer, in the order of the candidates. Sends no key and no header of anyone's. */
export async function probeLocal(signal: AbortSignal, options: ProbeOptions = {}): Promise<readonly LocalServer[]> {
  const { candidates = LOCAL_PROVIDERS, timeoutMs = 300 } = options
  const start = createRequestStarter({})
  const limits = { ...ACCESS_LIMITS, connectTimeoutMs: timeoutMs }
  const asked = candidates.map(async (provider) => {
    const access = createAccess(provider, { env: {}, start, now: Date.now, limits })
    const listing = await listModels(access, signal, timeoutMs)
    return listing.type === 'models' ? [{ provider, models: listing.models }] : []
  })
  return (await Promise.all(asked)).flat()
}
