import { posix } from 'node:path'
import { ConfigProblem } from './config-problem.ts'
import type { Config } from './config-schema.ts'
import { lineOfKey } from './line-of-key.ts'
import { printable } from './printable.ts'
import { type Layer, layerOf, parseToml } from './read-layer.ts'
import { isStricterPolicy, isStricterSandbox } from './strictness.ts'
import { isTable } from './unknown-keys.ts'

/** Where the file lies that a project keeps for parley, from its root. */
export const projectConfigPath = '.parley/config.toml'

/** Everything else is the user's: home, endpoint, credentials, providers, machines, writable folders, network, environment. */
const settingKeys = ['model', 'model_reasoning_effort', 'approval_policy', 'sandbox_mode']

const serverKeys = [
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'enabled',
  'startup_timeout_sec',
  'tool_timeout_sec',
  'enabled_tools',
  'disabled_tools',
]

/** It becomes part of tool names and of a file's name. */
const serverName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** More than that are not looked at: each costs files to be read and a program to be started. */
const maxServers = 32

/** More is not read by anybody, and finding each line takes a look through the file. */
const maxWarnings = 20

/**
 * What of a project's file may take effect over the user's own values. Nothing of it is an error: a repository must not
 * be able to keep parley from starting.
 */
export function projectLayer(text: string, own: Config): Layer {
  const nothing: Layer = { origin: projectConfigPath, values: {}, warnings: [] }
  try {
    const raw = parseToml(text, projectConfigPath)
    let looks = 0
    const at = (path: readonly PropertyKey[]) => {
      looks += 1
      const line = looks > maxWarnings ? null : lineOfKey(text, path)
      return line === null ? projectConfigPath : `${projectConfigPath}:${line}`
    }
    const { kept, warnings } = picked(raw, own, at)
    const layer = layerOf(kept, projectConfigPath, (path) => lineOfKey(text, path))
    const loose = looser(layer.values, own, at)
    return { ...layer, values: loose.values, warnings: shown([...warnings, ...layer.warnings, ...loose.warnings]) }
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error
    return { ...nothing, warnings: shown([`${error.message} Nothing of this file takes effect.`]) }
  }
}

function shown(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - maxWarnings
  const rest = more > 0 ? [`${projectConfigPath}: ${more} more of its lines are ignored.`] : []
  return [...warnings.slice(0, maxWarnings).map(printable), ...rest]
}

interface Picked {
  readonly kept: Record<string, unknown>
  readonly warnings: readonly string[]
}

type At = (path: readonly PropertyKey[]) => string

function picked(raw: Record<string, unknown>, own: Config, at: At): Picked {
  const kept: Record<string, unknown> = {}
  const warnings: string[] = []
  for (const [key, value] of Object.entries(raw)) {
    if (settingKeys.includes(key)) kept[key] = value
    else if (key === 'mcp_servers' && isTable(value)) {
      const servers = pickServers(value, own, at)
      kept[key] = servers.kept
      warnings.push(...servers.warnings)
    } else warnings.push(onlyOwn(at([key]), key))
  }
  return { kept, warnings }
}

function pickServers(sections: Record<string, unknown>, own: Config, at: At): Picked {
  const kept: Record<string, unknown> = {}
  const warnings: string[] = []
  for (const [name, section] of Object.entries(sections)) {
    const path = ['mcp_servers', name]
    const problem = Object.keys(kept).length < maxServers ? problemOf(name, section, own) : tooMany
    if (problem !== null || !isTable(section)) {
      warnings.push(`${at(path)}: "${path.join('.')}" ${problem}`)
      continue
    }
    kept[name] = Object.fromEntries(Object.entries(section).filter(([key]) => serverKeys.includes(key)))
    const others = Object.keys(section).filter((key) => !serverKeys.includes(key))
    warnings.push(...others.map((key) => onlyOwn(at([...path, key]), [...path, key].join('.'))))
  }
  return { kept, warnings }
}

const tooMany = `is ignored: a project can have ${maxServers} tool servers at most.`

/** Completes the sentence that begins with the server's key. */
function problemOf(name: string, section: unknown, own: Config): string | null {
  if (!isTable(section)) return 'is no table. It is ignored.'
  if (!serverName.test(name)) return 'is ignored: a name has letters, digits, - and _, at most 64.'
  if (Object.hasOwn(own.mcp_servers ?? {}, name)) return 'is ignored: your own config.toml has a server of this name.'
  const { cwd } = section
  if (typeof cwd === 'string' && leaves(cwd)) return 'is ignored: its cwd must lie in the project.'
  return null
}

function leaves(cwd: string): boolean {
  return posix.isAbsolute(cwd) || posix.normalize(cwd).split('/')[0] === '..'
}

function onlyOwn(where: string, key: string): string {
  return `${where}: "${key}" is ignored: only your own config.toml can set this.`
}

/** Takes out what would loosen what the user has. */
function looser(values: Config, own: Config, at: At): Pick<Layer, 'values' | 'warnings'> {
  const { approval_policy: policy, sandbox_mode: mode, ...others } = values
  const ownPolicy = own.approval_policy ?? 'on-request'
  const ownMode = own.sandbox_mode ?? 'workspace-write'
  const keepsPolicy = policy !== undefined && isStricterPolicy(policy, ownPolicy)
  const keepsMode = mode !== undefined && isStricterSandbox(mode, ownMode)
  return {
    values: {
      ...others,
      ...(keepsPolicy ? { approval_policy: policy } : {}),
      ...(keepsMode ? { sandbox_mode: mode } : {}),
    },
    warnings: [
      ...(policy === undefined || keepsPolicy || policy === ownPolicy
        ? []
        : [notStricter(at, 'approval_policy', { wanted: policy, own: ownPolicy })]),
      ...(mode === undefined || keepsMode || mode === ownMode
        ? []
        : [notStricter(at, 'sandbox_mode', { wanted: mode, own: ownMode })]),
    ],
  }
}

function notStricter(at: At, key: string, { wanted, own }: { wanted: string; own: string }): string {
  return `${at([key])}: ${key} = "${wanted}" is ignored: a project can only be stricter than what you have, ${own}.`
}
