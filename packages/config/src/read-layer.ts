import { DanglingLink, readIfThere } from '@parley/host'
import { parse, TomlError } from 'smol-toml'
import { isCodexKey, withOwnNames } from './codex-keys.ts'
import { ConfigProblem } from './config-problem.ts'
import { type Config, configSchema } from './config-schema.ts'
import { lineOfKey } from './line-of-key.ts'
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
  return text === null ? null : layerOfText(text, shownPath)
}

let newest: { readonly text: string; readonly shownPath: string; readonly layer: Layer } | null = null

/** The start of a conversation asks four times for the same; understanding it takes far longer than reading it. */
function layerOfText(text: string, shownPath: string): Layer {
  if (newest?.text === text && newest.shownPath === shownPath) return newest.layer
  const layer = layerOf(parseToml(text, shownPath), shownPath, (path) => lineOfKey(text, path))
  newest = { text, shownPath, layer }
  return layer
}

function readIfPresent(path: string, shownPath: string): string | null {
  try {
    return readIfThere(path)
  } catch (error) {
    if (error instanceof DanglingLink) throw new ConfigProblem(shownPath, `cannot be read: ${error.message}`)
    throw new ConfigProblem(shownPath, `cannot be read (${error instanceof Error ? error.message : String(error)}).`)
  }
}

export function parseToml(text: string, shownPath: string): Record<string, unknown> {
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

/** `-c key=value`: the value is TOML, and plain text where it is none or where only text fits. */
export function layerOfOverrides(overrides: Record<string, unknown>, origin: string): Layer {
  const given = Object.entries(overrides)
  if (given.length === 0) return { origin, values: {}, warnings: [] }
  const root = emptyTable()
  for (const [path, value] of given) setAt(root, keysOf(path), fittingValue(path, value))
  return layerOf(root, origin, () => null)
}

function fittingValue(path: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = tomlValue(value)
  return fits(path, parsed) || !fits(path, value) ? parsed : value
}

function fits(path: string, value: unknown): boolean {
  const root = emptyTable()
  setAt(root, keysOf(path), value)
  return configSchema.safeParse(root).success
}

/** Of a dotted key; a part in quotes may have dots of its own. */
function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/"([^"]*)"|'([^']*)'|([^.]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

function setAt(root: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  const [first = '', ...rest] = keys
  if (rest.length === 0) {
    root[first] = value
    return
  }
  const known = root[first]
  const inner = isTable(known) ? known : emptyTable()
  root[first] = inner
  setAt(inner, rest, value)
}

/** Without a prototype, so that no key can name what every object inherits. */
function emptyTable(): Record<string, unknown> {
  return Object.create(null)
}

function tomlValue(text: string): unknown {
  try {
    return parse(`value = ${text}`)['value']
  } catch {
    return text
  }
}

export function layerOf(
  raw: Record<string, unknown>,
  origin: string,
  lineOf: (path: readonly PropertyKey[]) => number | null,
): Layer {
  const at = (path: readonly PropertyKey[]) => {
    const line = lineOf(path)
    return line === null ? origin : `${origin}:${line}`
  }
  const values = withOwnNames(raw)
  const parsed = configSchema.safeParse(values)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const key = issue?.path.join('.') ?? ''
    throw new ConfigProblem(at(issue?.path ?? []), `${key}: ${issue?.message ?? 'not valid'}.`)
  }
  const warnings = unknownKeys(values, configSchema).map(({ path, suggestion }) => {
    if (isCodexKey(path)) return `${at(path)}: "${path.join('.')}" has no effect in parley.`
    const hint = suggestion === null ? 'It is ignored.' : `Did you mean "${suggestion}"?`
    return `${at(path)}: unknown key "${path.join('.')}". ${hint}`
  })
  return { origin, values: parsed.data, warnings }
}
