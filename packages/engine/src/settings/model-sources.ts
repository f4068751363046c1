import { randomUUID } from 'node:crypto'
import type { Config, ProviderSettings } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import { isUsable, type KeysFound, lacksKey, type ProviderKeys } from '@parley/credentials'
import {
  builtinProviders,
  createModelClient,
  createRecorder,
  type Env,
  keyVariable,
  type ListedFacts,
  type ModelClient,
  type ModelFacts,
  type ModelFailure,
  type PluginPorts,
  type ProviderConfig,
  providerDefaults,
  type RetryLimits,
} from '@parley/models'
import { unconfiguredProvider } from '@parley/protocol'
import { closest, withoutUndefined } from '@parley/text'
import type { Fallback } from '../core/fallback-model.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { invalidParam } from '../replies/rejection.ts'
import { factsOfModel, setOutputLimit } from './facts-of-model.ts'
import { keptKeyClient } from './kept-key-client.ts'
import { keptFacts, nothingListed } from './kept-lists.ts'
import { networkFields } from './network-settings.ts'
import { pluginProvider } from './plugin-provider.ts'

/** Client of one provider, with the limits of its retries and the known facts of its models. */
export interface ModelSource {
  readonly client: ModelClient
  /** Set for a provider that is neither built in nor configured: its client only fails. */
  readonly isUnknown?: true
  /** Tells if a request would fail because its key is missing; absent where no key can be missing. */
  readonly lacksKey?: () => boolean
  readonly limits: RetryLimits
  readonly factsOf: (model: string) => ModelFacts
  /** Returns the output limit that the user set; undefined where requests leave it to the provider. */
  readonly maxOutputOf: (model: string) => number | undefined
}

export type ModelSources = (config: Config) => (providerId: string) => ModelSource

interface ModelSourcePorts {
  /** `$PARLEY_HOME`, where lists of models are kept. */
  readonly home: string
  readonly env: Env
  readonly keys: ProviderKeys
  readonly clock: Clock
  /** Paths of the recordings that come with the program. */
  readonly recordings: Readonly<Record<RecordedProvider, string>>
  /** Set when the text of a recording is paced like a model's. */
  readonly paced: boolean
  /** File that `--record` writes model responses to. */
  readonly recordTo: string | null
  /** Removes secrets from recorded text. */
  readonly redact: (text: string) => string
  readonly onProblem: (problem: unknown) => void
  readonly plugins?: PluginPorts
}

/** Creates the clients of configured providers on demand. The client of an unknown provider fails with an explanation. */
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
  const { requestMaxRetries, streamMaxRetries } = provider ?? providerDefaults
  const listedFacts = provider === null ? () => nothingListed : keptFacts(provider, ports.home)
  return {
    client: ports.recordTo === null ? client : recording(client, ports.recordTo, ports),
    ...(provider === null ? { isUnknown: true as const } : {}),
    lacksKey: () => provider === null || lacksKey(provider, ports),
    limits: { requestMaxRetries, streamMaxRetries },
    factsOf: factsOncePerModel((model, listed) => factsOfModel({ provider, listed }, model, config), listedFacts),
    maxOutputOf: (model) => setOutputLimit(provider, model, config),
  }
}

/** Remembers the facts of each model while its provider's list says the same: a search of the catalogue takes 2 ms. */
function factsOncePerModel(
  search: (model: string, listed: ListedFacts) => ModelFacts,
  listedFacts: (model: string) => ListedFacts,
): (model: string) => ModelFacts {
  const known = new Map<string, { readonly listed: ListedFacts; readonly facts: ModelFacts }>()
  return (model) => {
    const listed = listedFacts(model)
    const earlier = known.get(model)
    if (earlier?.listed === listed) return earlier.facts
    const facts = search(model, listed)
    known.set(model, { listed, facts })
    return facts
  }
}

function clientOf(provider: ProviderConfig, { env, keys, clock, paced, plugins }: ModelSourcePorts): ModelClient {
  const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms, signal)
  const fromPlugins = plugins === undefined ? {} : { plugins }
  return keptKeyClient(provider, { keys, env }, (keptKey) =>
    createModelClient(provider, { keptKey, env, now: clock.now, paced, sleep, ...fromPlugins }),
  )
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

/** Throws `invalidParams` when no provider of this id is built in or configured. */
export function assertProvider(providerId: string, config: Config, env: Env): void {
  if (isRecordedProvider(providerId) || config.model_providers?.[providerId]?.wire_api === 'recorded') return
  if (providerOf(providerId, config, env) !== null) return
  throw invalidParam('provider', unknownProviderText(providerId, config, env))
}

/** Returns the message about a provider that is neither built in nor configured; it names the most similar provider. */
export function unknownProviderText(providerId: string, config: Config, env: Env): string {
  const names = [...Object.keys(config.model_providers ?? {}), ...builtinProviders(env).map(({ id }) => id)]
  const hint = closest(providerId, names)
  const advice = hint === null ? '' : `Did you mean "${hint}"? Or configure`
  return `There is no model provider "${providerId}". ${advice || 'Configure'} [model_providers.${providerId}] with a base_url in config.toml.`
}

function unknownProvider(providerId: string, config: Config, env: Env): ModelClient {
  const message = unknownProviderText(providerId, config, env)
  const failure: ModelFailure = { code: 'invalidRequest', message, retry: 'never' }
  return {
    adapter: 'none',
    async *stream() {
      yield { type: 'failed', failure }
    },
    listModels: () => Promise.resolve({ type: 'failed', failure }),
  }
}

/** Providers that play a recording of the program: the demo, and the answer where no model is configured. */
const recordedProviders = ['demo', unconfiguredProvider] as const

type RecordedProvider = (typeof recordedProviders)[number]

export function isRecordedProvider(providerId: string): providerId is RecordedProvider {
  return recordedProviders.some((known) => known === providerId)
}

/** Returns the models that take over when a call has failed for good. */
export function fallbacksOf({ fallback_models: models = [] }: Config): readonly Fallback[] {
  return models.map((entry) => {
    if (typeof entry === 'string') return { model: entry }
    return { model: entry.model, ...withoutUndefined({ provider: entry.provider }) }
  })
}

/** Returns the variables that hold usable keys, as the first-run banner names them. */
export function keyVariables(config: Config): string[] {
  const configured = Object.values(config.model_providers ?? {}).flatMap(({ env_key: key }) =>
    key === undefined ? [] : [key],
  )
  const builtIn = keyedProviders({}).flatMap(({ envKey }) => (envKey === undefined ? [] : [envKey]))
  return [...new Set([...builtIn, ...configured])]
}

export interface ChosenProvider {
  readonly id: string
  readonly model: string
  /** Reason for the choice, as the end of a sentence: "chosen because …". */
  readonly because: string
  /** Sentence on what to set where neither the user nor the provider names a model; absent otherwise. */
  readonly warning?: string
}

/** Returns the provider and model of a new conversation; null when no provider is configured and no key is found. */
export function chooseProvider(config: Config, found: KeysFound): ChosenProvider | null {
  const { env } = found
  const named = config.model_provider
  if (named !== undefined) return { ...modelFor(named, config, env), because: 'model_provider names it' }
  const [id] = usableProviders(config, found)
  if (id === undefined) return null
  return { ...modelFor(id, config, env), because: reasonForChoice(providerOf(id, config, env), found) }
}

/** Returns the usable providers in the order of choice: built-in ones with a key of their own, and configured ones. */
export function usableProviders(config: Config, found: KeysFound): readonly string[] {
  const { env } = found
  const configured = Object.keys(config.model_providers ?? {})
  return [...keyedProviders(env).map(({ id }) => id), ...configured].filter((id) => {
    const provider = providerOf(id, config, env)
    return provider !== null && isUsable(provider, found)
  })
}

function modelFor(id: string, { model, model_providers: own }: Config, env: Env): Omit<ChosenProvider, 'because'> {
  if (model !== undefined) return { id, model }
  const known = defaultModelOf(id, env)
  if (known !== unnamedModel || own?.[id]?.wire_api === 'recorded') return { id, model: known }
  const warning = `No model is named for ${id}, so requests ask for "${known}", which few servers know. Choose one with /model, or set model = "…" in config.toml.`
  return { id, model: known, warning }
}

function reasonForChoice(provider: ProviderConfig | null, { env, kept }: KeysFound): string {
  const variable = provider === null ? undefined : keyVariable(provider, env)
  if (variable === undefined && provider !== null && kept.has(provider.id))
    return `\`parley login ${provider.id}\` has kept the first key`
  return variable === undefined
    ? 'no key of another provider is set, and it needs none'
    : `${variable} is the first key that is set`
}

/** Returns the ids of the providers with a key variable, in the order of choice. */
export function keyedProviderIds(config: Config): readonly string[] {
  const configured = Object.entries(config.model_providers ?? {}).filter(([, { env_key: key }]) => key !== undefined)
  return [...new Set([...keyedProviders({}).map(({ id }) => id), ...configured.map(([id]) => id)])]
}

/** Returns the built-in providers that need a key: with the key set they are chosen without any configuration. */
function keyedProviders(env: Env) {
  return builtinProviders(env).filter(({ envKey }) => envKey !== undefined)
}

/** Name in requests to a provider without a model of its own. A server of one model may take any name. */
const unnamedModel = 'default'

/** Returns the model of a conversation that names no model; `default` where the provider has no such model. */
export function defaultModelOf(providerId: string, env: Env): string {
  if (isRecordedProvider(providerId)) return 'recorded'
  return builtinProviders(env).find(({ id }) => id === providerId)?.defaultModel ?? unnamedModel
}

/** Returns a configured provider, or a built-in one with the configured fields changed; null for an unknown id. */
export function providerOf(providerId: string, config: Config, env: Env): ProviderConfig | null {
  const builtIn = builtinProviders(env).find(({ id }) => id === providerId)
  const settings = config.model_providers?.[providerId]
  const openaiBaseUrl = providerId === 'openai' ? config.openai_base_url : undefined
  if (settings?.package !== undefined) return pluginProvider(providerId, settings, { config, env })
  const baseUrl = settings?.base_url ?? openaiBaseUrl ?? builtIn?.baseUrl
  if (baseUrl === undefined) return null
  const envKey = settings?.env_key ?? builtIn?.envKey
  const otherEnvKey = settings?.env_key === undefined ? builtIn?.otherEnvKey : undefined
  const configured = settings?.wire_api === 'recorded' ? undefined : settings?.wire_api
  const wireApi = configured ?? builtIn?.wireApi ?? configDefaults.wire_api
  return {
    id: providerId,
    name: settings?.name ?? builtIn?.name ?? providerId,
    baseUrl,
    wireApi,
    ...withoutUndefined({ envKey, otherEnvKey, defaultModel: builtIn?.defaultModel }),
    ...(settings?.oauth === undefined ? {} : { needsLogin: true as const }),
    headers: settings?.headers ?? builtIn?.headers ?? {},
    ...(settings?.env_headers === undefined ? {} : { envHeaders: settings.env_headers }),
    queryParams: settings?.query_params ?? builtIn?.queryParams ?? {},
    ...networkFields(settings ?? {}, config, env),
  }
}
