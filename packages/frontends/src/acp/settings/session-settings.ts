import {
  RequestError,
  type SessionConfigOption,
  type SessionMode,
  type SessionModeState,
} from '@agentclientprotocol/sdk'
import { modeOf, modesWithin, pairOf, type SandboxMode, type Settings, type SettingsPatch } from '@parley/protocol'
import { effortOption, effortPatch, modelOption, modelPatch, type OfferedModel } from './model-options.ts'

/** Settings in force, with the ceilings and models that limit a client's choice. */
export interface SettingsInForce {
  readonly settings: Settings
  /** Ceilings of the server that the client started and of the one that has the conversation. */
  readonly ceilings: readonly SandboxMode[]
  readonly models: readonly OfferedModel[]
}

/** Settings of a session as its opening announces them. */
export interface AnnouncedSettings {
  readonly modes: SessionModeState
  readonly configOptions: SessionConfigOption[]
}

export function announcedSettings(inForce: SettingsInForce): AnnouncedSettings {
  const { settings, models } = inForce
  const configOptions = [modeOption(inForce), modelOption(settings, models), effortOption(settings)]
  return { modes: modeState(inForce), configOptions }
}

/** Returns the change to a mode; null for the mode in force. Throws for a mode that is not offered. */
export function modePatch(modeId: string, { settings, ceilings }: SettingsInForce): SettingsPatch | null {
  if (modeId === modeOf(settings)) return null
  const mode = modesWithin(...ceilings).find(({ name }) => name === modeId)
  if (mode === undefined) throw RequestError.invalidParams({ modeId }, `There is no mode ${modeId} to choose here.`)
  return pairOf(mode)
}

/** Returns the change to a value of an option; null for the value in force. Throws for a value that is not offered. */
export function optionPatch(configId: string, value: unknown, inForce: SettingsInForce): SettingsPatch | null {
  const { settings, models } = inForce
  if (typeof value === 'string') {
    if (configId === 'mode') return modePatch(value, inForce)
    if (configId === 'model') return modelPatch(value, settings, models)
    if (configId === 'effort') return effortPatch(value, settings)
  }
  throw RequestError.invalidParams({ configId }, `There is no option ${configId} with such a value.`)
}

/** Stands for every pair of policy and sandbox that has no name. */
const customMode = {
  id: 'custom',
  name: 'Custom',
  description: 'Approval policy and sandbox mode were set one by one; choose another mode to leave it.',
} as const satisfies SessionMode

/** Lists `custom` always, because a list of modes cannot be changed later, and another client may set any pair. */
function modeState(inForce: SettingsInForce): SessionModeState {
  return { currentModeId: modeOf(inForce.settings), availableModes: [...offeredModes(inForce), customMode] }
}

function modeOption(inForce: SettingsInForce): SessionConfigOption {
  const currentValue = modeOf(inForce.settings)
  const shown = [...offeredModes(inForce), ...(currentValue === customMode.id ? [customMode] : [])]
  return {
    type: 'select',
    id: 'mode',
    name: 'Mode',
    description: 'When parley asks, and what it may write to.',
    category: 'mode',
    currentValue,
    options: shown.map(({ id: value, name, description }) => ({ value, name, description })),
  }
}

function offeredModes({ ceilings }: SettingsInForce) {
  return modesWithin(...ceilings).map(({ name: id, title: name, about: description }) => ({ id, name, description }))
}
