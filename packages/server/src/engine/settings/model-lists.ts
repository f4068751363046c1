import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, makeFolders, replaceFile } from '@parley/journal'
import { type Env, type ModelListing, type ProviderConfig, probeLocal } from '@parley/models'
import type { ParamsOf, ResultOf } from '@parley/protocol'
import type { ProviderKeys } from '../login/provider-keys.ts'
import { assertProvider, chooseProvider, type ModelSources, providerOf } from './model-sources.ts'
import { readConfig } from './read-config.ts'

export interface ListPorts {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Env
  readonly keys: ProviderKeys
  readonly files: Files
  readonly models: ModelSources
}

type ModelList = ResultOf<'model/list'>

/**
 * Lists the models of the configured providers and known local servers, or of one provider alone. Lists are kept in
 * `$PARLEY_HOME/models`; with `kept` nothing is asked. Rejects with `invalidParams` for an unknown provider.
 */
export async function listModels(
  { provider, kept }: ParamsOf<'model/list'>,
  ports: ListPorts,
  now: () => number,
): Promise<ModelList> {
  const { home, env, keys } = ports
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, { env, kept: keys.kept() })
  if (provider !== undefined) assertProvider(provider, values, env)
  const all = [...new Set([...(chosen === null ? [] : [chosen.id]), ...Object.keys(values.model_providers ?? {})])]
  const ids = provider === undefined ? all : [provider]
  const { signal } = new AbortController()
  const sourceOf = ports.models(values)
  const look = async (id: string): Promise<Found> => {
    const store = storeOf(providerOf(id, values, env), ports)
    if (kept === true) return { id, list: store.read(), problem: null }
    return { id, ...afterListing(await sourceOf(id).client.listModels(signal), store, now()) }
  }
  const [found, local] = await Promise.all([
    Promise.all(ids.map(look)),
    provider === undefined && kept !== true ? probeLocal(signal) : [],
  ])
  return {
    models: found.flatMap(({ id: provider, list }) =>
      (list?.models ?? []).map((id) => ({ provider, id, current: chosen?.id === provider && chosen.model === id })),
    ),
    problems: found.flatMap(({ id: provider, problem }) => (problem === null ? [] : [{ provider, message: problem }])),
    local: local.map(({ provider: { id, name, baseUrl }, models }) => ({
      provider: id,
      name,
      baseUrl,
      models: [...models],
    })),
    lists: found.flatMap(({ id: provider, list }) => (list === null ? [] : [{ provider, listedAt: list.listedAt }])),
  }
}

interface KeptList {
  /** Time of the provider's answer, in ms since the epoch. */
  readonly listedAt: number
  readonly models: readonly string[]
}

interface Found {
  readonly id: string
  readonly list: KeptList | null
  readonly problem: string | null
}

/** Keeps what a provider listed. After a failure the earlier list stands, and the problem says so. */
function afterListing(listing: ModelListing, store: ListStore, nowMs: number): Omit<Found, 'id'> {
  if (listing.type === 'models') {
    const list = { listedAt: nowMs, models: listing.models }
    store.keep(list)
    return { list, problem: null }
  }
  const list = store.read()
  const message = listing.type === 'failed' ? listing.failure.message : 'It was not asked to the end.'
  return { list, problem: list === null ? message : `${message} The list of ${dayOf(list)} is shown.` }
}

function dayOf({ listedAt }: KeptList): string {
  return new Date(listedAt).toISOString().replace('T', ' ').slice(0, 16).concat(' UTC')
}

interface ListStore {
  /** Returns the list that was kept last; null when there is none or it cannot be read. */
  read(): KeptList | null
  /** Keeps a list. A disk that does not take it costs only the cache. */
  keep(list: KeptList): void
}

const noStore: ListStore = { read: () => null, keep: () => undefined }

/** Returns the place of a provider's list; the name of the file holds no address, which may contain a secret. */
function storeOf(provider: ProviderConfig | null, { home, files }: Pick<ListPorts, 'home' | 'files'>): ListStore {
  if (provider === null) return noStore
  const { id, baseUrl, wireApi } = provider
  const key = createHash('sha256')
    .update(JSON.stringify([id, baseUrl, wireApi]))
    .digest('hex')
    .slice(0, 32)
  const folder = join(home, 'models')
  const path = join(folder, `${key}.json`)
  return {
    read: () => readList(path),
    keep(list) {
      try {
        makeFolders(files, folder)
        replaceFile(files, path, `${JSON.stringify({ provider: id, ...list })}\n`)
      } catch {
        // The list is asked for again next time.
      }
    },
  }
}

/** Returns the kept list of a provider without asking anything; null when there is none. */
export function keptList(provider: ProviderConfig, ports: Pick<ListPorts, 'home' | 'files'>): KeptList | null {
  return storeOf(provider, ports).read()
}

function readList(path: string): KeptList | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value !== 'object' || value === null || !('listedAt' in value) || !('models' in value)) return null
    const { listedAt, models } = value
    if (typeof listedAt !== 'number' || !Array.isArray(models)) return null
    return { listedAt, models: models.filter((id) => typeof id === 'string') }
  } catch {
    return null
  }
}
