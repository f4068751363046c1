import { existsSync } from 'node:fs'
import {
  chosenEnvironment,
  type EffectiveConfig,
  environmentNamed,
  folderThere,
  settingsFromConfig,
} from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import { isUsable, type KeysFound, type ProviderKeys } from '@parley/credentials'
import type { Env } from '@parley/models'
import { type Project, type Projects, repositoryAroundHome } from '@parley/policy'
import type { Overrides, Settings } from '@parley/protocol'
import {
  assertNetworkAllowed,
  type Ceiling,
  loweredText,
  type RequestedPermissions,
  underCeiling,
} from '../limits/ceiling.ts'
import {
  assertNoSecretFolder,
  assertOwnFilesOutside,
  fittingMode,
  rootWarnings,
  type SecretSurroundings,
} from '../limits/workspace-folders.ts'
import { rejection } from '../replies/rejection.ts'
import { addedFolders, assertAdded, existingFolder } from './existing-folder.ts'
import { chooseProvider, isRecordedProvider, keyVariables, providerOf, unknownProviderText } from './model-sources.ts'
import { choicesIn, configHere } from './read-config.ts'

export interface InitialSettings {
  readonly cwd: string
  readonly settings: Settings
  readonly warnings: readonly string[]
}

/** Settings of a new conversation, which the project of its environment may narrow once it was read. */
export interface NewSettings extends InitialSettings {
  readonly inProject: (project: Project) => InitialSettings
}

export type StartParams = Overrides & {
  readonly cwd: string
  readonly cwdMayBeMissing?: boolean
  readonly baseInstructions?: string
}

/** Sources of the limits for work in a folder. */
export interface PlacePorts extends SecretSurroundings {
  readonly env: Env
  readonly projects: Pick<Projects, 'of'>
}

interface SettingsPorts extends PlacePorts {
  readonly keys: ProviderKeys
}

/** Returns the settings of a new conversation. Throws early when the folder, provider or key is missing. */
export function newSettings(params: StartParams, ports: SettingsPorts): NewSettings {
  const inProject = (projectThere: Project) => initialSettings(params, ports, projectThere)
  return { ...initialSettings(params, ports, null), inProject }
}

/** `projectThere`: project of the folder in an environment; null before it was read. */
function initialSettings(params: StartParams, ports: SettingsPorts, projectThere: Project | null): InitialSettings {
  const { cwd, values, warnings: ofConfig } = placeOf(params, ports, projectThere)
  const found = { env: ports.env, kept: ports.keys.kept() }
  const provider = chooseProvider(values, found)
  if (provider === null) throw noProvider(keyVariables(values), ofConfig)
  const warnings = provider.warning === undefined ? ofConfig : [...ofConfig, provider.warning]
  if (!isRecordedProvider(provider.id) && values.model_providers?.[provider.id]?.wire_api !== 'recorded')
    assertUsable(provider.id, { values, warnings: ofConfig }, found)
  const settings = settingsFromConfig(values, provider, { ...params, cwd })
  if (settings.policyFile !== undefined && !existsSync(settings.policyFile)) {
    throw rejection('configInvalid', `The policy file ${settings.policyFile} does not exist.`, {
      where: settings.policyFile,
    })
  }
  const fitting = withinFolders(settings, { ...params, cwd }, ports)
  return { cwd, settings: fitting.settings, warnings: [...warnings, ...fitting.warnings] }
}

/**
 * Returns the settings of a client's work in a folder without a conversation: the settings of a new conversation,
 * without the model.
 */
export function settingsWithoutModel(params: StartParams, ports: PlacePorts) {
  const place = placeOf(params, ports, null)
  const inFolder = { ...params, cwd: place.cwd }
  const settings = settingsFromConfig(place.values, { id: 'none', model: 'none' }, inFolder)
  return { ...place, settings: withinFolders(settings, inFolder, ports).settings }
}

/** Returns the folder to work in and its configuration under the ceiling. */
function placeOf(params: StartParams, ports: PlacePorts, projectThere: Project | null) {
  const { home } = ports
  const { effective, own, project } = configHere(params.cwd, params, { home, projects: ports.projects, projectThere })
  const { values, warnings } = limited(effective, { ...choicesIn(params, home), ...params }, ports.ceiling())
  assertNetworkAllowed(params.network, ports.ceiling())
  const cwd = startFolder(params, values)
  if (chosenEnvironment(values) === null) assertHomeOutside(cwd, ports)
  return { cwd, values, warnings, own, project }
}

/** Returns the settings with the sandbox that fits the folders. Throws for folders of this machine that are closed to work. */
function withinFolders(settings: Settings, params: StartParams, ports: PlacePorts) {
  if (settings.environment !== undefined) return { settings, warnings: [] }
  const { cwd } = params
  assertAdded(addedFolders(params, cwd))
  const workplace = { roots: [cwd, ...settings.writableRoots], sandbox: settings.sandbox }
  assertOwnFilesOutside(workplace.roots, ports.home)
  assertNoSecretFolder(workplace.roots, ports)
  return {
    settings: { ...settings, sandbox: fittingMode(workplace) },
    warnings: rootWarnings(workplace, ports.env['HOME']),
  }
}

/** Lowers settings that the caller did not request to the ceiling. */
function limited({ values, warnings }: EffectiveConfig, asked: RequestedPermissions, ceiling: Ceiling) {
  const wanted = {
    sandbox: values.sandbox_mode ?? configDefaults.sandbox_mode,
    approvalPolicy: values.approval_policy ?? configDefaults.approval_policy,
  }
  const allowed = underCeiling(wanted, asked, ceiling)
  const lowered = values.sandbox_mode === undefined ? null : loweredText(wanted, allowed, 'The configuration says')
  return {
    values: { ...values, sandbox_mode: allowed.sandbox, approval_policy: allowed.approvalPolicy },
    warnings: [...warnings, ...(lowered === null ? [] : [lowered])],
  }
}

/**
 * Throws `configInvalid` when PARLEY_HOME lies in the repository: files of the repository would then be the user's own
 * configuration.
 */
function assertHomeOutside(cwd: string, { home, env }: PlacePorts): void {
  const repository = repositoryAroundHome(cwd, home, env['HOME'])
  if (repository === null) return
  throw rejection(
    'configInvalid',
    `PARLEY_HOME (${home}) lies in the repository ${repository}, whose files would be your own configuration. Set PARLEY_HOME to a folder outside it.`,
    { where: 'PARLEY_HOME' },
  )
}

/** Builds the error for a missing provider, with the warnings: a mistyped key may be the cause. */
function noProvider(variables: readonly string[], warnings: readonly string[]) {
  return rejection(
    'noCredentials',
    [
      `No model is configured: ${variables.join(', ')} ${variables.length === 1 ? 'is' : 'are'} not set and no local server is chosen. Run \`parley login\`, set a key, or run \`parley demo\` to try it without one.`,
      ...warnings,
    ].join(' '),
    { variables },
  )
}

/** Throws for a provider that cannot be asked, with the warnings: a mistyped key may be the cause. */
function assertUsable(
  providerId: string,
  { values, warnings }: Pick<EffectiveConfig, 'values' | 'warnings'>,
  found: KeysFound,
): void {
  const provider = providerOf(providerId, values, found.env)
  if (provider === null) {
    throw rejection('unknownProvider', unknownProviderText(providerId, values, found.env))
  }
  if (!isUsable(provider, found)) {
    throw rejection(
      'noCredentials',
      [
        provider.needsLogin === true
          ? `${provider.name} needs a login: run \`parley login ${providerId} --oauth\`, or choose another model_provider.`
          : `${provider.name} needs a key: set ${provider.envKey}, run \`parley login ${providerId}\`, or choose another model_provider.`,
        ...warnings,
      ].join(' '),
      { variables: provider.envKey === undefined ? [] : [provider.envKey] },
    )
  }
}

/** Returns the folder to work in. A folder of another machine is checked when the conversation is opened. */
function startFolder(params: StartParams, config: EffectiveConfig['values']): string {
  const { cwd, cwdMayBeMissing: mayBeMissing = false, environmentCwd } = params
  const name = chosenEnvironment(config)
  return name === null
    ? existingFolder(cwd, { mayBeMissing })
    : folderThere(name, environmentNamed(name, config), environmentCwd)
}
