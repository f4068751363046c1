import { parse, TomlError } from 'smol-toml'
import { ConfigError } from './config-schema.ts'

/** Parses a TOML file. Throws `ConfigError` with line and column. */
export function parseToml(text: string, shownPath: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const what = error.message.split('\n', 1)[0] ?? 'not valid TOML'
    throw new ConfigError(
      `${shownPath}:${error.line}:${error.column}`,
      `${what.replace(/^Invalid TOML document: /, '')}.`,
    )
  }
}

/** Returns the value that a TOML text stands for; the text itself when it is not TOML. */
export function tomlValue(text: string): unknown {
  try {
    return parse(`value = ${text}`)['value']
  } catch {
    return text
  }
}

/** Tells whether a value is a TOML table. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the line, counted from 1, on which a TOML file sets a key or opens the table of that name; null for neither. */
export function lineOfKey(text: string, path: readonly PropertyKey[]): number | null {
  const wanted = path.filter((key) => typeof key === 'string')
  if (wanted.length === 0) return null
  let table: readonly string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const opened = tableOf(line)
    table = opened ?? table
    const set = opened ?? keyOf(line, table)
    if (set !== null && startsWith(set, wanted)) return index + 1
  }
  return null
}

function tableOf(line: string): readonly string[] | null {
  const name = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]
  return name === undefined ? null : keysOf(name)
}

function keyOf(line: string, table: readonly string[]): readonly string[] | null {
  const name = /^\s*([\w."'-][\w."' -]*?)\s*=/.exec(line)?.[1]
  return name === undefined ? null : [...table, ...keysOf(name)]
}

/** Splits a dotted key of a file; a part in quotes may contain dots. */
function keysOf(dotted: string): string[] {
  return [...dotted.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((key, index) => path[index] === key)
}
