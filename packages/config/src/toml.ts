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

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the line, counted from 1, on which a TOML file sets a key or opens the table of that name; else the line that
 * has it within a value or lacks it; null for neither. Without numbers in the path the first of several tables counts.
 */
export function lineOfKey(text: string, path: readonly PropertyKey[]): number | null {
  const wanted = path.filter((key) => typeof key !== 'symbol')
  const isNumbered = wanted.some((key) => typeof key === 'number')
  if (wanted.length === 0) return null
  let around: { readonly line: number | null; readonly length: number } = { line: null, length: 0 }
  for (const { line, set } of keysOf(text)) {
    const found = isNumbered ? set : set.filter((key) => typeof key === 'string')
    if (startsWith(found, wanted)) return line
    if (found.length > around.length && startsWith(wanted, found)) around = { line, length: found.length }
  }
  return around.line
}

type KeyPath = readonly (string | number)[]

/** Yields what each line opens or sets; tables of a list have their number in it. */
function* keysOf(text: string): Generator<{ readonly line: number; readonly set: KeyPath }> {
  const counts = new Map<string, number>()
  let table: KeyPath = []
  for (const [index, line] of text.split('\n').entries()) {
    const opened = openedBy(line, counts)
    table = opened ?? table
    const name = opened === null ? /^\s*([\w."'-][\w."' -]*?)\s*=/.exec(line)?.[1] : undefined
    const set = opened ?? (name === undefined ? null : [...table, ...splitKey(withoutSpaces(name))])
    if (set !== null) yield { line: index + 1, set }
  }
}

/** Returns the table that a line opens; null for any other line. */
function openedBy(line: string, counts: Map<string, number>): KeyPath | null {
  const [, brackets, name] = /^\s*(\[\[?)([^\]]+)\]/.exec(line) ?? []
  if (name === undefined) return null
  const keys = splitKey(withoutSpaces(name))
  let path: KeyPath = []
  for (const [at, key] of keys.entries()) {
    path = [...path, key]
    const list = JSON.stringify(path)
    const isNext = brackets === '[[' && at === keys.length - 1
    if (isNext) counts.set(list, (counts.get(list) ?? -1) + 1)
    const number = counts.get(list)
    if (number !== undefined) path = [...path, number]
  }
  return path
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

function startsWith(path: KeyPath, beginning: KeyPath): boolean {
  return beginning.every((key, index) => path[index] === key)
}
