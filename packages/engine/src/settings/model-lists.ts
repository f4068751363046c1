import type { ProviderKeys } from '@parley/credentials'
import type { Files } from '@parley/journal'
import { type Env, type ModelListing, probeLocal } from '@parley/models'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import { type KeptList, type ListStore, storeOf } from './kept-lists.ts'
import { assertProvider, chooseProvider, type ModelSources, providerOf } from './model-sources.ts'
import { readConfig } from './read-config.ts'

export interface ListPorts {
  readonly home: string
  readonly env: Env
  readonly keys: ProviderKeys
  readonly files: Files
  readonly models: ModelSources
}

/**
 * Lists the models of the configured providers and known local servers, or of one provider alone. Lists are kept in
 * `$PARLEY_HOME/models`; with `kept` no request is sent. Rejects with `invalidParams` for an unknown provider.
 */
export async function listModels(
  { provider, kept }: ParamsOf<'model/list'>,
  ports: ListPorts,
  now: () => number,
): Promise<ResultOf<'model/list'>> {
  const { home, env, keys } = ports
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, { env, kept: keys.kept() })
  if (provider !== undefined) assertProvider(provider, values, env)
  const all = [...new Set([...(chosen === null ? [] : [chosen.id]), ...Object.keys(values.model_providers ?? {})])]
  const ids = provider === undefined ? all : [provider]
  const { signal } = new AbortController()
  const sourceOf = ports.models(values)
  const listOf = async (id: string): Promise<ProviderModels> => {
    const store = storeOf(providerOf(id, values, env), ports)
    if (kept === true) return { id, list: store.read(), problem: null }
    return { id, ...afterListing(await sourceOf(id).client.listModels(signal), store, now()) }
  }
  const [found, local] = await Promise.all([
    Promise.all(ids.map(listOf)),
    provider === undefined && kept !== true ? probeLocal(signal) : [],
  ])
  return {
    models: found.flatMap(({ id: provider, list }) =>
      (list?.models ?? []).map((id) => ({ provider, id, current: chosen?.id === provider && chosen.model === id })),
    ),
    problems: found.flatMap(({ id: provider, problem }) => (problem === null ? [] : [{ provider, message: problem }])),
    local: local.map(({ provider: { id, name, baseUrl }, models }) => {
      return { provider: id, name, baseUrl, models: [...models] }
    }),
    lists: found.flatMap(({ id: provider, list }) => (list === null ? [] : [{ provider, listedAt: list.listedAt }])),
  }
}

interface ProviderModels {
  readonly id: string
  readonly list: KeptList | null
  readonly problem: string | null
}

/** Keeps the list of a provider. After a failure the earlier list stays, and the problem says so. */
function afterListing(listing: ModelListing, store: ListStore, nowMs: number): Omit<ProviderModels, 'id'> {
  if (listing.type === 'models') {
    const { models, facts } = listing
    const list = { listedAt: nowMs, models, ...(facts === undefined ? {} : { facts }) }
    store.keep(list)
    return { list, problem: null }
  }
  if (listing.type === 'unlisted') return { list: null, problem: 'It has no list of models: write the name of one.' }
  const list = store.read()
  const message = listing.type === 'failed' ? listing.failure.message : 'It was not asked to the end.'
  return { list, problem: list === null ? message : `${message} The list of ${dayOf(list)} is shown.` }
}

function dayOf({ listedAt }: KeptList): string {
  return new Date(listedAt).toISOString().replace('T', ' ').slice(0, 16).concat(' UTC')
}
