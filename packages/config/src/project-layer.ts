import { posix } from 'node:path'
import { type Config, ConfigError } from './config-schema.ts'
import { type Layer, layerOf } from './layer.ts'
import { withoutLooser } from './strictness.ts'
import { isTable, lineOfKey, parseToml } from './toml.ts'

/** Path of a project's config file, relative to the root of the project. */
export const projectConfigPath = '.parley/config.toml'

/**
 * Keys that a project may set; `*` stands for a name. This is the only list: every other key, now and later, is the
 * user's alone, such as providers, credentials and writable folders.
 */
export const projectKeys: readonly string[] = [
  'model',
  'model_reasoning_effort',
  'approval_policy',
  'sandbox_mode',
  'mcp_servers.*.command',
  'mcp_servers.*.args',
  'mcp_servers.*.env',
  'mcp_servers.*.cwd',
  'mcp_servers.*.url',
  'mcp_servers.*.enabled',
  'mcp_servers.*.startup_timeout_sec',
  'mcp_servers.*.tool_timeout_sec',
  'mcp_servers.*.enabled_tools',
  'mcp_servers.*.disabled_tools',
  'hooks.*.matcher',
  'hooks.*.hooks.type',
  'hooks.*.hooks.command',
  'hooks.*.hooks.name',
  'hooks.*.hooks.timeout',
  'hooks.*.hooks.required',
]

const topKeys = projectKeys.filter((key) => !key.includes('.'))
const ofServer = 'mcp_servers.*.'
const serverKeys = projectKeys.filter((key) => key.startsWith(ofServer)).map((key) => key.slice(ofServer.length))

/** Form of a server's name, which becomes part of tool names and of a file name. */
const serverName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Limit of tool servers: each costs the reading of files and the start of a program. */
const maxServers = 32

/** Limit of warnings: finding the line of each takes a search through the file. */
const maxWarnings = 20

/**
 * Returns the values of a project's file that may take effect over the user's own. Never throws for the file: its faults
 * are warnings, since a repository must not keep parley from starting.
 */
export function projectLayer(text: string, own: Config): Layer {
  const nothing: Layer = { origin: projectConfigPath, values: {}, warnings: [] }
  try {
    const raw = parseToml(text, projectConfigPath)
    let searches = 0
    const at = (path: readonly PropertyKey[]) => {
      searches += 1
      const line = searches > maxWarnings ? null : lineOfKey(text, path)
      return line === null ? projectConfigPath : `${projectConfigPath}:${line}`
    }
    const { kept, warnings } = picked(raw, own, at)
    const layer = layerOf(kept, projectConfigPath, (path) => lineOfKey(text, path))
    const strict = withoutLooser(layer.values, own, at)
    return { ...layer, values: strict.values, warnings: shown([...warnings, ...layer.warnings, ...strict.warnings]) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
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
    if (topKeys.includes(key)) kept[key] = value
    else if (key === 'mcp_servers' && isTable(value)) {
      const servers = pickServers(value, own, at)
      kept[key] = servers.kept
      for (const warning of servers.warnings) warnings.push(warning)
    } else if (key === 'hooks' && isTable(value)) {
      const hooks = pickHooks(value, at)
      kept[key] = hooks.kept
      for (const warning of hooks.warnings) warnings.push(warning)
    } else warnings.push(onlyOwn(at([key]), key))
  }
  return { kept, warnings }
}

const ofHook = 'hooks.*.hooks.'
const hookKeys = projectKeys.filter((key) => key.startsWith(ofHook)).map((key) => key.slice(ofHook.length))

/** Removes the keys of a project's hooks that only the user may set, such as a run outside the sandbox. */
function pickHooks(section: Record<string, unknown>, at: At): Picked {
  const warnings: string[] = []
  const fitting = (handler: unknown, event: string) => {
    if (!isTable(handler)) return handler
    const others = Object.keys(handler).filter((key) => !hookKeys.includes(key))
    for (const warning of others.map((key) =>
      onlyOwn(at(['hooks', event, 'hooks', key]), `hooks.${event}.hooks.${key}`),
    ))
      warnings.push(warning)
    return Object.fromEntries(Object.entries(handler).filter(([key]) => hookKeys.includes(key)))
  }
  const kept = Object.entries(section).map(([event, groups]) => {
    if (!Array.isArray(groups)) return [event, groups]
    return [
      event,
      groups.map((group: unknown) =>
        isTable(group) && Array.isArray(group['hooks'])
          ? { ...group, hooks: group['hooks'].map((handler: unknown) => fitting(handler, event)) }
          : group,
      ),
    ]
  })
  return { kept: Object.fromEntries(kept), warnings }
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
    for (const warning of others.map((key) => onlyOwn(at([...path, key]), [...path, key].join('.'))))
      warnings.push(warning)
  }
  return { kept, warnings }
}

const tooMany = `is ignored: a project can have ${maxServers} tool servers at most.`

/** Returns the reason against starting a server, the rest of a sentence that begins with its key; null without one. */
function problemOf(name: string, section: unknown, own: Config): string | null {
  if (!isTable(section)) return 'is not a table. It is ignored.'
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

/** Characters that control a terminal, and invisible ones. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const maxCharacters = 400

/** Returns a text from outside as one short line, with escapes for characters that control a terminal or are invisible. */
export function printable(text: string): string {
  const clipped = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  return clipped.toWellFormed().replace(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
