import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import { ConfigProblem } from './config-problem.ts'
import { type Config, configSchema } from './config-schema.ts'
import { isTable, unknownKeys } from './unknown-keys.ts'

/** One source of configuration. `origin` is what `parley config` shows beside each of its values. */
export interface Layer {
  readonly origin: string
  readonly values: Config
  readonly warnings: readonly string[]
}

/** A config file, or null when there is none. Throws `ConfigProblem` naming file and line. */
export function readConfigFile(path: string, shownPath: string): Layer | null {
  const text = readIfPresent(path, shownPath)
  return text === null ? null : layerOf(parseToml(text, shownPath), shownPath, (key) => lineOfKey(text, key))
}

function readIfPresent(path: string, shownPath: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new ConfigProblem(shownPath, `cannot be read (${error instanceof Error ? error.message : String(error)}).`)
  }
}

function parseToml(text: string, shownPath: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const what = error.message.split('\n', 1)[0] ?? 'not valid TOML'
    throw new ConfigProblem(
      `${shownPath}:${error.line}:${error.column}`,
      `${what.replace(/^Invalid TOML document: /, '')}.`,
    )
  }
}

/** `-c key=value`: the value is TOML, and a plain string where it is not. */
export function layerOfOverrides(overrides: Record<string, unknown>, origin: string): Layer {
  return layerOf(nested(overrides), origin, () => null)
}

function nested(overrides: Record<string, unknown>): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(overrides)) {
    const keys = path.split('.')
    const last = keys.pop() ?? path
    let table = root
    for (const key of keys) {
      const inner = table[key]
      const next = isTable(inner) ? inner : {}
      table[key] = next
      table = next
    }
    table[last] = typeof value === 'string' ? tomlValue(value) : value
  }
  return root
}

function tomlValue(text: string): unknown {
  try {
    return parse(`value = ${text}`)['value']
  } catch {
    return text
  }
}

function layerOf(raw: Record<string, unknown>, origin: string, lineOf: (key: string) => number | null): Layer {
  const at = (key: string) => {
    const line = lineOf(key)
    return line === null ? origin : `${origin}:${line}`
  }
  const parsed = configSchema.safeParse(raw)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const key = issue?.path.join('.') ?? ''
    throw new ConfigProblem(at(String(issue?.path.at(-1) ?? '')), `${key}: ${issue?.message ?? 'not valid'}.`)
  }
  const warnings = unknownKeys(raw, configSchema).map(({ path, suggestion }) => {
    const hint = suggestion === null ? 'It is ignored.' : `Did you mean "${suggestion}"?`
    return `${at(path.at(-1) ?? '')}: unknown key "${path.join('.')}". ${hint}`
  })
  return { origin, values: parsed.data, warnings }
}

function lineOfKey(text: string, key: string): number | null {
  const lines = text.split('\n')
  const at = lines.findIndex(
    (line) => line.trimStart().replace(/^["']/, '').startsWith(key) || line.trim().includes(`.${key}]`),
  )
  return key === '' || at < 0 ? null : at + 1
}
