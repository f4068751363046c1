import { posix, resolve } from 'node:path'
import { type Overrides, type Settings, thisMachine } from '@parley/protocol'
import { closest } from '@parley/text'
import { type Config, ConfigError, type EnvironmentKeys, type EnvironmentSettings } from './config-schema.ts'
import { configDefaults } from './defaults.ts'

/** Returns the settings of a new conversation. `provider` is the chosen one, `provider.model` its default model. */
export function settingsFromConfig(
  config: Config,
  provider: { id: string; model: string },
  overrides: Overrides & { cwd: string; baseInstructions?: string },
): Settings {
  const effort = config.model_reasoning_effort
  const { profile, policyFile, baseInstructions } = overrides
  const environment = chosenEnvironment(config)
  // Folders in the file are folders of this machine.
  const ownRoots = environment === null ? (config.sandbox_workspace_write?.writable_roots ?? []) : []
  const roots = [...(overrides.writableRoots ?? ownRoots), ...(overrides.addDirs ?? [])]
  const network = overrides.network ?? config.sandbox_workspace_write?.network_access
  return {
    model: config.model ?? provider.model,
    modelProvider: provider.id,
    ...(effort === undefined ? {} : { effort }),
    approvalPolicy: config.approval_policy ?? configDefaults.approval_policy,
    sandbox: config.sandbox_mode ?? configDefaults.sandbox_mode,
    // Known only once the environment of the conversation has reported its sandbox.
    enforcement: 'none',
    writableRoots: [...new Set(roots.map((root) => resolve(overrides.cwd, root)))],
    ...(network === true ? { network: true } : {}),
    ...(config.sandbox_workspace_write?.allow_unix_sockets === true ? { unixSockets: true } : {}),
    ...(profile === undefined ? {} : { profile }),
    ...(baseInstructions === undefined ? {} : { baseInstructions }),
    ...(policyFile === undefined ? {} : { policyFile: resolve(overrides.cwd, policyFile) }),
    ...(environment === null ? {} : { environment }),
  }
}

/** Returns the settings that a request names, under their config keys. */
export function flagsAsConfig(flags: Overrides): Config {
  const { model, modelProvider, effort, approvalPolicy, sandbox, environment } = flags
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { model_provider: modelProvider }),
    ...(effort === undefined ? {} : { model_reasoning_effort: effort }),
    ...(approvalPolicy === undefined ? {} : { approval_policy: approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox_mode: sandbox }),
    ...(environment === undefined ? {} : { environment }),
  }
}

/** Returns the name of the environment of a new conversation; null is this machine. */
export function chosenEnvironment({ environment }: Config): string | null {
  return environment === undefined || environment === thisMachine ? null : environment
}

/** Returns the settings of an environment. Throws `ConfigError` when it is not configured or says no way there. */
export function environmentNamed(name: string, { environments = {} }: Config): EnvironmentSettings {
  const found = Object.hasOwn(environments, name) ? environments[name] : undefined
  if (found !== undefined) return withWay(name, found)
  const names = Object.keys(environments)
  const near = closest(name, names)
  const known = names.length === 0 ? 'None is configured.' : `There are: ${names.join(', ')}.`
  throw new ConfigError(
    'environment',
    `there is no [environments.${name}] in config.toml. ${near === null ? known : `Did you mean "${near}"?`}`,
  )
}

function withWay(name: string, { url, connected, ...others }: EnvironmentKeys): EnvironmentSettings {
  if (url !== undefined && connected !== undefined)
    throw new ConfigError(
      `environments.${name}`,
      'has both url and connected: this server connects, or is connected to.',
    )
  if (url !== undefined) return { ...others, url }
  if (connected !== undefined) return { ...others, connected }
  throw withoutUrl(name)
}

/** Returns the error of an environment without `url`; `hint` names a key that was probably meant as `url`. */
export function withoutUrl(name: string, hint = ''): ConfigError {
  const text = 'is not set; it must be ws://host:port or wss://host. A machine that connects itself has `connected`.'
  return new ConfigError(`environments.${name}.url`, hint === '' ? text : `${text} ${hint}`)
}

/**
 * Returns the absolute folder on an environment's machine: `asked`, relative to the configured `cwd` unless it is
 * absolute itself. Throws `ConfigError` when neither is absolute.
 */
export function folderThere(name: string, { cwd }: EnvironmentSettings, asked = '.'): string {
  const folder = cwd === undefined ? asked : posix.resolve(cwd, asked)
  if (posix.isAbsolute(folder)) return posix.resolve(folder)
  throw new ConfigError(
    `environments.${name}.cwd`,
    'is not set, so an absolute folder on that machine must be named: --cd /path, or cwd in config.toml.',
  )
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

export function networkPatienceMs({ network_patience: set = configDefaults.network_patience }: Config): number {
  return set === 0 ? 0 : Number.parseInt(set, 10) * (unitsMs[set.at(-1) ?? ''] ?? 0)
}
