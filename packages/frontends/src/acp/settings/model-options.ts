import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk'
import { efforts, effortWords, type Settings, type SettingsPatch } from '@parley/protocol'

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
