import { posix } from 'node:path'
import { closest } from '@parley/text'
import { ConfigProblem } from './config-problem.ts'
import type { Config, EnvironmentKeys, EnvironmentSettings } from './config-schema.ts'

/** The name for this machine, where a config file names another one. */
const thisMachine = 'local'

/** The environment that a new conversation works in; null is this machine. */
export function chosenEnvironment({ environment }: Config): string | null {
  return environment === undefined || environment === thisMachine ? null : environment
}

/** Throws `ConfigProblem` when there is none of this name. */
export function environmentNamed(name: string, { environments = {} }: Config): EnvironmentSettings {
  const found = Object.hasOwn(environments, name) ? environments[name] : undefined
  if (found !== undefined) return reachable(name, found)
  const names = Object.keys(environments)
  const near = closest(name, names)
  const known = names.length === 0 ? 'None is configured.' : `There are: ${names.join(', ')}.`
  throw new ConfigProblem(
    'environment',
    `there is no [environments.${name}] in config.toml. ${near === null ? known : `Did you mean "${near}"?`}`,
  )
}

function reachable(name: string, { url, ...others }: EnvironmentKeys): EnvironmentSettings {
  if (url !== undefined) return { ...others, url }
  throw withoutUrl(name)
}

/** `hint` is about a key that may have been meant to be this one. */
export function withoutUrl(name: string, hint = ''): ConfigProblem {
  const text = 'is not set; it must be ws://host:port or wss://host.'
  return new ConfigProblem(`environments.${name}.url`, hint === '' ? text : `${text} ${hint}`)
}

/** The folder there: what the caller names, from the configured one on. Throws `ConfigProblem` when neither is absolute. */
export function folderThere(name: string, { cwd }: EnvironmentSettings, asked = '.'): string {
  const folder = cwd === undefined ? asked : posix.resolve(cwd, asked)
  if (posix.isAbsolute(folder)) return posix.resolve(folder)
  throw new ConfigProblem(
    `environments.${name}.cwd`,
    'is not set, so an absolute folder on that machine must be named: --cd /path, or cwd in config.toml.',
  )
}
