import { randomUUID } from 'node:crypto'
import type { Config, ProviderSettings } from '@parley/config'
import {
  builtinProviders,
  createModelClient,
  createRecorder,
  type Environment,
  type ModelClient,
  type ModelFailure,
  type ProviderConfig,
  providerDefaults,
  type RetryLimits,
} from '@parley/models'
import { closest } from '@parley/text'
import type { Clock } from '../../ports/clock.ts'
import { isRecordedProvider, providerOf, type RecordedProvider } from './providers.ts'

/** One provider's client, with the limits of its retries and the context window in tokens. */
export interface ModelSource {
  readonly client: ModelClient
  readonly limits: RetryLimits
  readonly contextWindow: number | null
}

/** Returns the models of one configuration, by provider id. */
export type ModelSources = (config: Config) => (providerId: string) => ModelSource

export interface ModelSourcePorts {
  readonly env: Environment
  readonly clock: Clock
  /** Files of the recordings that come with the program. */
  readonly recordings: Readonly<Record<RecordedProvider, string>>
  /** Text of a recording streams as a model's would. */
  readonly paced: boolean
  /** Where `--record` writes what models say. */
  readonly recordTo: string | null
  /** What takes the secrets out of what is written there. */
  readonly redact: (text: string) => string
  readonly onProblem: (problem: unknown) => void
}

/** Clients of the configured models, one per provider; an unknown provider is a client that says so. */
export function createModelSources(config: Config, ports: ModelSourcePorts): (providerId: string) => ModelSource {
  const known = new Map<string, ModelSource>()
  return (providerId) => {
    const source = known.get(providerId) ?? createSource(providerId, config, ports)
    known.set(providerId, source)
    return source
  }
}

function createSource(providerId: string, config: Config, ports: ModelSourcePorts): ModelSource {
  const settings = config.model_providers?.[providerId]
  const provider = playedProvider(providerId, settings, ports.recordings) ?? providerOf(providerId, config, ports.env)
  const client = provider === null ? unknownProvider(providerId, config, ports.env) : clientOf(provider, ports)
  const { requestMaxRetries, streamMaxRetries, contextWindow } = provider ?? {
    ...providerDefaults,
    contextWindow: null,
  }
  return {
    client: ports.recordTo === null ? client : recording(client, ports.recordTo, ports),
    limits: { requestMaxRetries, streamMaxRetries },
    contextWindow: settings?.context_window ?? config.model_context_window ?? contextWindow ?? null,
  }
}

function clientOf(provider: ProviderConfig, { env, clock, paced }: ModelSourcePorts): ModelClient {
  return createModelClient(provider, { env, now: clock.now, paced, sleep: (ms, signal) => clock.sleep(ms, signal) })
}

/** Returns the provider that plays a recording; null when a provider of this id asks a model. */
function playedProvider(
  providerId: string,
  settings: ProviderSettings | undefined,
  recordings: ModelSourcePorts['recordings'],
): ProviderConfig | null {
  const builtIn = isRecordedProvider(providerId) ? recordings[providerId] : undefined
  const path = settings?.wire_api === 'recorded' ? settings.recording : builtIn
  if (path === undefined) return null
  const name = settings?.name ?? providerId
  return { ...providerDefaults, id: providerId, name, baseUrl: '', wireApi: 'recorded', recording: path }
}

function recording(client: ModelClient, path: string, { onProblem, redact }: ModelSourcePorts): ModelClient {
  // The file may hold what an earlier process recorded.
  return createRecorder(client, { path, newId: () => randomUUID().slice(0, 8), redact, onProblem })
}

function unknownProvider(providerId: string, config: Config, env: Environment): ModelClient {
  const names = [...Object.keys(config.model_providers ?? {}), ...builtinProviders(env).map(({ id }) => id)]
  const hint = closest(providerId, names)
  const message = `There is no model provider "${providerId}". ${hint === null ? 'Configure it as [model_providers.X] in config.toml.' : `Did you mean "${hint}"?`}`
  const failure: ModelFailure = { code: 'invalidRequest', message, retry: 'never' }
  return {
    adapter: 'none',
    async *stream() {
      yield { type: 'failed', failure }
    },
    listModels: () => Promise.resolve({ type: 'failed', failure }),
  }
}
