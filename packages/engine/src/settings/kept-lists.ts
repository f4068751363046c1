import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readUnlocked } from '@parley/host'
import { type Files, makeFolders, replaceFile } from '@parley/journal'
import { credibleFacts, type ListedFacts, type ProviderConfig } from '@parley/models'
import { isRecord } from '@parley/text'

export interface KeptList {
  /** Time of the provider's answer, in ms since the epoch. */
  readonly listedAt: number
  readonly models: readonly string[]
  /** Facts of the models in the list, by name. */
  readonly facts?: Readonly<Record<string, ListedFacts>>
}

interface KeepPorts {
  readonly home: string
  readonly files: Files
}

export interface ListStore {
  /** Returns the list that was kept last; null where no list is kept or it cannot be read. */
  read(): KeptList | null
  /** Keeps a list. A disk that does not take it costs only the cache. */
  keep(list: KeptList): void
}

const noStore: ListStore = { read: () => null, keep: () => undefined }

export function storeOf(provider: ProviderConfig | null, { home, files }: KeepPorts): ListStore {
  if (provider === null) return noStore
  const path = pathOf(provider, home)
  return {
    read: () => readList(path),
    keep(list) {
      try {
        makeFolders(files, join(home, 'models'))
        replaceFile(files, path, `${JSON.stringify({ provider: provider.id, ...list })}\n`)
      } catch {
        // The list is asked for again next time.
      }
    },
  }
}

/** Returns the kept list of a provider and sends no request; null where no list is kept. */
export function keptList(provider: ProviderConfig, ports: KeepPorts): KeptList | null {
  return storeOf(provider, ports).read()
}

/** Facts of a model that no list names. */
export const nothingListed: ListedFacts = {}

/**
 * Returns a look-up of a model's facts in the kept list of a provider, the same object while the file is the same. It
 * reads the file again when the file has changed.
 */
export function keptFacts(provider: ProviderConfig, home: string): (model: string) => ListedFacts {
  const path = pathOf(provider, home)
  let known: { readonly stamp: string; readonly facts: Readonly<Record<string, ListedFacts>> } = {
    stamp: '',
    facts: {},
  }
  return (model) => {
    const stamp = stampOf(path)
    if (stamp !== known.stamp) known = { stamp, facts: stamp === '' ? {} : (readList(path)?.facts ?? {}) }
    return (Object.hasOwn(known.facts, model) ? known.facts[model] : undefined) ?? nothingListed
  }
}

/** Returns the path of a list; the name of the file holds no address, which may contain a secret. */
function pathOf({ id, baseUrl, wireApi, package: name }: ProviderConfig, home: string): string {
  const key = createHash('sha256')
    .update(JSON.stringify([id, baseUrl, wireApi, ...(name === undefined ? [] : [name])]))
    .digest('hex')
    .slice(0, 32)
  return join(home, 'models', `${key}.json`)
}

/** Returns a text that differs for each version of a file; empty where the file is missing or cannot be looked at. */
function stampOf(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ''
  }
}

function readList(path: string): KeptList | null {
  try {
    const value: unknown = JSON.parse(readUnlocked(path))
    if (!isRecord(value)) return null
    const { listedAt, models, facts } = value
    if (typeof listedAt !== 'number' || !Array.isArray(models)) return null
    const known = facts === undefined ? {} : { facts: readFacts(facts) }
    return { listedAt, models: models.filter((id) => typeof id === 'string'), ...known }
  } catch {
    return null
  }
}

function readFacts(value: unknown): Readonly<Record<string, ListedFacts>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).map(([id, facts]) => [id, credibleFacts(isRecord(facts) ? facts : {})]),
  )
}
