import { ConfigError } from '@parley/config'
import {
  createModelClient,
  type Env,
  type ModelClient,
  type ModelFailure,
  type ProviderConfig,
  readKey,
} from '@parley/models'
import type { ProviderKeys } from '../login/provider-keys.ts'

type ClientPorts = Parameters<typeof createModelClient>[1]

/** Returns a client that takes the kept key of its provider where the variables have none, anew for each request. */
export function keptKeyClient(provider: ProviderConfig, keys: ProviderKeys, ports: ClientPorts): ModelClient {
  let key: string | undefined
  const client = createModelClient(provider, { ...ports, keptKey: () => key })

  /** Resolves to the failure when the key is kept but cannot be had. */
  async function takeKey(env: Env, refused?: string): Promise<ModelFailure | null> {
    if (readKey(provider, env) !== undefined) return null
    try {
      key = (await keys.keyOf(provider.id, refused === undefined ? {} : { refused })) ?? undefined
      return key === undefined && provider.needsLogin === true ? withoutLogin(provider) : null
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return { code: 'noCredentials', message: error.message, retry: 'never' }
    }
  }

  return {
    adapter: client.adapter,
    async *stream(request, signal) {
      const failure = await takeKey(ports.env)
      if (failure !== null) return yield { type: 'failed', failure }
      const used = key
      for await (const event of client.stream(request, signal)) {
        // A server can end a token early; with a new one the request is sent once more.
        const isRefused = event.type === 'failed' && event.failure.code === 'auth' && used !== undefined
        if (isRefused && (await takeKey(ports.env, used)) === null && key !== used)
          return yield* client.stream(request, signal)
        yield event
      }
    },
    async listModels(signal) {
      const failure = await takeKey(ports.env)
      return failure === null ? client.listModels(signal) : { type: 'failed', failure }
    },
  }
}

function withoutLogin({ id, name }: ProviderConfig): ModelFailure {
  const message = `${name} needs a login: run \`parley login ${id} --oauth\`.`
  return { code: 'noCredentials', message, retry: 'never' }
}
