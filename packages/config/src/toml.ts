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
  return name === undefined ? null : splitKey(withoutSpaces(name))
}

function keyOf(line: string, table: readonly string[]): readonly string[] | null {
  const name = /^\s*([\w."'-][\w."' -]*?)\s*=/.exec(line)?.[1]
  return name === undefined ? null : [...table, ...splitKey(withoutSpaces(name))]
}

/** Splits a dotted key; a part in quotes may contain dots. Spaces count, except around the dots of a file's key. */
export function splitKey(dotted: string): readonly string[] {
  return [...dotted.matchAll(/"([^"]*)"|'([^']*)'|([^.]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

/** Removes the spaces that TOML permits around dots and ends of a key; quoted parts keep theirs. */
function withoutSpaces(key: string): string {
  return key.trim().replaceAll(/("[^"]*"|'[^']*')|\s*\.\s*/g, (_match, quoted?: string) => quoted ?? '.')
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((key, index) => path[index] === key)
}
