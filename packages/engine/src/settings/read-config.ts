import {
  type Config,
  chosenEnvironment,
  type EffectiveConfig,
  flagsAsConfig,
  layerOfOverrides,
  readEffectiveConfig,
  readProfile,
  shownValue,
  valuesByKey,
} from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import type { ProviderKeys } from '@parley/credentials'
import type { Env } from '@parley/models'
import { type Project, type Projects, trustNotice } from '@parley/policy'
import type { Overrides, ParamsOf, ResultOf, Rights, Settings } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { withoutUndefined } from '@parley/text'
import { isCallersKey } from '../limits/callers-config.ts'
import { assertNetworkAllowed, assertUnderCeiling, type Ceiling } from '../limits/ceiling.ts'
import { existingFolder } from './existing-folder.ts'
import { chooseProvider, keyVariables } from './model-sources.ts'

/** Reads all layers of a request's configuration. The caller passes a project only if it is trusted. */
export function readConfig(home: string, overrides: Overrides, project: Project | null = null): EffectiveConfig {
  return readEffectiveConfig({
    home,
    flags: flagsAsConfig(overrides),
    ...(project === null ? {} : { project: project.layer }),
    ...configOnly(overrides),
  })
}

/** Configuration in a folder of this machine. */
export interface ConfigHere {
  readonly effective: EffectiveConfig
  /** Values of all layers but the project's. */
  readonly own: Config
  /** Configuration of the folder's project, trusted or not. */
  readonly project: Project | null
}

interface ConfigSources {
  readonly home: string
  readonly projects: Pick<Projects, 'of'>
  /** Project of a folder in an environment; absent before it was read. */
  readonly projectThere?: Project | null
}

/** Reads the configuration of a folder, with its project's if trusted. */
export function configHere(
  cwd: string,
  overrides: Overrides,
  { home, projects, projectThere = null }: ConfigSources,
): ConfigHere {
  const own = readConfig(home, overrides)
  const project = chosenEnvironment(own.values) === null ? projects.of(cwd) : projectThere
  const effective = project?.state === 'trusted' ? readConfig(home, overrides, project) : own
  return { effective, own: own.values, project }
}

/** Returns the overrides that a caller chose by a profile and by `-c`; values from files are not choices. */
export function choicesIn({ config = {}, profile }: Overrides, home: string): Overrides {
  const own = layerOfOverrides(config, '-c').values
  const name = profile ?? own.profile
  const chosen = name === undefined ? {} : readProfile(home, name)
  const { model, model_provider: modelProvider, ...others } = { ...chosen, ...own }
  const { model_reasoning_effort: effort, approval_policy: approvalPolicy, sandbox_mode: sandbox } = others
  return withoutUndefined({ model, modelProvider, effort, approvalPolicy, sandbox, environment: others.environment })
}

/** Throws `aboveCeiling` for overrides of an existing conversation, also for those by `config` and by a profile. */
export function assertOverridesAllowed(
  overrides: Overrides,
  now: Settings,
  { home, ceiling }: { readonly home: string; readonly ceiling: () => Ceiling },
): void {
  assertUnderCeiling({ ...choicesIn(overrides, home), ...overrides }, now, ceiling)
  assertNetworkAllowed(overrides.network, ceiling())
}

/** Returns only the overrides that choose a configuration: `-c` values and the profile. */
export function configOnly({ config, profile }: Overrides): Pick<Overrides, 'config' | 'profile'> {
  return withoutUndefined({ config, profile })
}

/** Returns the rules for the variables of commands; defaults stand in for keys that the section leaves out. */
export function envRulesOf({ include = [], exclude = [], set = {} }: NonNullable<Config['shell_environment']> = {}) {
  return { include, exclude, set }
}

interface ConfigPorts {
  readonly home: string
  readonly env: Env
  readonly keys: ProviderKeys
  readonly projects: Projects
  readonly redaction: Redaction
  readonly rights: Pick<Rights, 'has'>
}

/**
 * Returns each configuration value with its origin; secrets are redacted. Users get only the values that they could
 * set: other values name programs, files and machines of somebody else. Throws `cwdMissing`.
 */
export function describeConfig(
  params: ParamsOf<'config/read'>,
  { home, env, keys, projects, redaction, rights }: ConfigPorts,
): ResultOf<'config/read'> {
  const { effective, project } = configHere(params.cwd, params, { home, projects })
  const { values, origins } = effective
  if (chosenEnvironment(values) === null) existingFolder(params.cwd)
  const notice = trustNotice(project)
  const warnings = [...effective.warnings, ...(notice === null ? [] : [notice])]
  const chosen = chooseProvider(values, { env, kept: keys.kept() })
  const isWhole = rights.has('operator')
  const shown = valuesByKey(values).flatMap(([key, value]) => {
    const origin = isWhole || isCallersKey(key) ? origins.get(key) : undefined
    return origin === undefined ? [] : [{ key, value: shownValue(key, value, redaction.text), origin }]
  })
  const reason = chosen === null ? 'default' : `default: ${chosen.because}`
  const defaults = [
    { key: 'model_provider', value: chosen?.id ?? null, origin: reason },
    { key: 'model', value: chosen?.model ?? null, origin: 'default' },
    { key: 'approval_policy', value: configDefaults.approval_policy, origin: 'default' },
    { key: 'sandbox_mode', value: configDefaults.sandbox_mode, origin: 'default' },
  ].filter(({ key }) => !origins.has(key))
  return {
    values: [...shown, ...defaults].sort((a, b) => (a.key < b.key ? -1 : 1)),
    warnings: [...warnings],
    credentials: { found: chosen !== null, variables: keyVariables(values) },
  }
}
