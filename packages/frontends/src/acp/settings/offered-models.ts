import type { Parley } from '@parley/client'
import type { OfferedModel } from './model-options.ts'

/** Models of the configured providers, the same for every session of a client. */
export interface OfferedModels {
  /** Returns the models that are known so far. */
  readonly known: readonly OfferedModel[]
  /** Reads the kept lists, and asks the providers in the background where a list is missing or old. */
  load(): Promise<void>
  /** Calls the listener when the models change. Returns the function that removes it. */
  subscribe(listener: () => void): () => void
}

/** Age in ms from which a kept list is asked for again. */
const oldListMs = 24 * 60 * 60 * 1000

export function offeredModels(parley: Pick<Parley, 'request'>, now: () => number): OfferedModels {
  const listeners = new Set<() => void>()
  let known: readonly OfferedModel[] = []
  let loading: Promise<void> | undefined

  /** Returns true where each provider has a list that is not old. */
  async function list(kept: boolean): Promise<boolean> {
    const { models, local, problems, lists = [] } = await parley.request('model/list', kept ? { kept } : {})
    const ofLocal = local.flatMap(({ provider, models: ids }) => ids.map((id) => ({ provider, id })))
    known = [...models.map(({ provider, id }) => ({ provider, id })), ...ofLocal]
    for (const listener of listeners) listener()
    const isFresh = lists.every(({ listedAt }) => now() - listedAt < oldListMs)
    return isFresh && problems.length === 0 && lists.length > 0
  }

  async function load(): Promise<void> {
    // Without a list the model in use is offered alone.
    const isFresh = await list(true).catch(() => false)
    if (!isFresh) void list(false).catch(() => undefined)
  }

  return {
    get known() {
      return known
    },
    load() {
      loading ??= load()
      return loading
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
