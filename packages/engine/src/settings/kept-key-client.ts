import { ConfigError } from '@parley/config'
import type { ProviderKeys } from '@parley/credentials'
import { type Env, type ModelClient, type ModelFailure, type ProviderConfig, readKey } from '@parley/models'

interface KeySources {
  readonly keys: ProviderKeys
  readonly env: Env
}

/**
 * Returns a client that, for each request, takes the kept key of its provider where no variable has a key. `clientWith`
 * makes the client that sends the requests.
 */
export function keptKeyClient(
  provider: ProviderConfig,
  { keys, env }: KeySources,
  clientWith: (keptKey: () => string | undefined) => ModelClient,
): ModelClient {
  let key: string | undefined
  const client = clientWith(() => key)

  /** Resolves to the failure when the key is kept but cannot be had. */
  async function takeKey(refused?: string): Promise<ModelFailure | null> {
    if (readKey(provider, env) !== undefined) return null
    try {
      key = (await keys.keyOf(provider.id, refused === undefined ? {} : { refused })) ?? undefined
      return key === undefined && provider.needsLogin === true ? withoutLogin(provider) : null
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const code = error.cause === undefined ? 'noCredentials' : 'fileFailed'
      return { code, message: error.message, retry: 'never' }
    }
  }

  /** Resolves to the end of a request that cannot be sent; null when its key is there or not needed. */
  async function endWithoutKey(signal: AbortSignal, refused?: string): Promise<End | null> {
    const failure = await unlessAborted(takeKey(refused), signal)
    if (failure === 'aborted') return { type: 'aborted' }
    return failure === null ? null : { type: 'failed', failure }
  }

  return {
    adapter: client.adapter,
    ...(client.toolRules === undefined ? {} : { toolRules: client.toolRules }),
    warmUp: () => client.warmUp?.(),
    async *stream(request, signal) {
      const end = await endWithoutKey(signal)
      if (end !== null) return yield end
      const used = key
      for await (const event of client.stream(request, signal)) {
        // A server can end a token early; with a new one the request is sent once more.
        const isRefused = event.type === 'failed' && event.failure.code === 'auth' && used !== undefined
        const late = isRefused ? await endWithoutKey(signal, used) : null
        if (late?.type === 'aborted') return yield late
        if (isRefused && late === null && key !== used) return yield* client.stream(request, signal)
        yield event
      }
    },
    async listModels(signal) {
      return (await endWithoutKey(signal)) ?? client.listModels(signal)
    },
  }
}

type End = { readonly type: 'failed'; readonly failure: ModelFailure } | { readonly type: 'aborted' }

/** Resolves to `aborted` with the request. The work goes on: tokens that a server has given are kept. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | 'aborted'> {
  const { promise, resolve } = Promise.withResolvers<'aborted'>()
  const abort = () => resolve('aborted')
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}

function withoutLogin({ id, name }: ProviderConfig): ModelFailure {
  const message = `${name} needs a login: run \`parley login ${id} --oauth\`.`
  return { code: 'noCredentials', message, retry: 'never' }
}
