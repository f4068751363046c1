import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk'
import type { Parley } from '@parley/client'
import { efforts, effortWords, type Settings, type SettingsPatch } from '@parley/protocol'

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

/** Model that a client may choose. */
export interface OfferedModel {
  readonly provider: string
  readonly id: string
}

type Model = Pick<Settings, 'model' | 'modelProvider'>

/** Groups the models by provider. The one in use is listed, too, where its provider does not list it. */
export function modelOption(settings: Model, models: readonly OfferedModel[]): SessionConfigOption {
  const used = { provider: settings.modelProvider, id: settings.model }
  const isListed = models.some((model) => modelKey(model) === modelKey(used))
  const byProvider = Map.groupBy(isListed ? models : [used, ...models], ({ provider }) => provider)
  return {
    type: 'select',
    id: 'model',
    name: 'Model',
    category: 'model',
    currentValue: modelKey(used),
    options: [...byProvider].map(([provider, listed]) => ({
      group: provider,
      name: provider,
      options: listed.map((model) => ({ value: modelKey(model), name: model.id })),
    })),
  }
}

/** Returns the change to a model; null for the one in use. Throws for one that is not offered. */
export function modelPatch(value: string, settings: Model, models: readonly OfferedModel[]): SettingsPatch | null {
  if (value === modelKey({ provider: settings.modelProvider, id: settings.model })) return null
  const chosen = models.find((model) => modelKey(model) === value)
  if (chosen === undefined) throw RequestError.invalidParams({ value }, `There is no model ${value} to choose here.`)
  return { modelProvider: chosen.provider, model: chosen.id }
}

function modelKey({ provider, id }: OfferedModel): string {
  return `${provider}/${id}`
}

/** Value for conversations without an effort of their own: the model's default. It cannot be set again. */
const unset = 'default'

type Effort = Pick<Settings, 'effort'>

export function effortOption({ effort }: Effort): SessionConfigOption {
  const levels = efforts.map((value) => ({ value, name: value, description: effortWords[value] }))
  const isLevel = effort === undefined || levels.some(({ value }) => value === effort)
  return {
    type: 'select',
    id: 'effort',
    name: 'Effort',
    description: 'How much the model thinks; not every model has every level.',
    category: 'thought_level',
    currentValue: effort ?? unset,
    options: [
      ...(effort === undefined ? [{ value: unset, name: "the model's own", description: 'no level is sent' }] : []),
      ...levels,
      ...(isLevel ? [] : [{ value: effort, name: effort, description: 'from your configuration' }]),
    ],
  }
}

/** Returns the change to a level; null for the one in force. Throws for one that is not offered. */
export function effortPatch(value: string, { effort }: Effort): SettingsPatch | null {
  if (value === (effort ?? unset)) return null
  if (efforts.some((level) => level === value)) return { effort: value }
  throw RequestError.invalidParams({ value }, `There is no effort ${value} to choose here.`)
}
