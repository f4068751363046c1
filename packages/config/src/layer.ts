import { DanglingLinkError, readIfExists, settledStamp } from '@parley/host'
import type { SecretValue } from '@parley/redaction'
import { errorMessage } from '@parley/text'
import type { z } from 'zod'
import { type Config, ConfigError, schemaOfKeys } from './config-schema.ts'
import { hookExample } from './hook-config.ts'
import { isTable, lineOfKey, parseToml, splitKey, tomlValue } from './toml.ts'
import { unknownKeyWarnings, withParleyNames } from './unknown-keys.ts'
import { withVariableNames } from './variable-names.ts'

/** Values of one source of configuration. `origin` is the name that `parley config` shows beside each of them. */
export interface Layer {
  readonly origin: string
  readonly values: Config
  readonly warnings: readonly string[]
  /** Texts in the place of a variable's name, which may be secrets. */
  readonly misplaced?: readonly SecretValue[]
}

interface KnownFile {
  readonly path: string
  /** Stamp of the file before it was read; null if its next change may leave no trace. */
  readonly stamp: string | null
  readonly text: string
  readonly shownPath: string
  readonly layer: Layer
}

let newest: KnownFile | null = null

/**
 * Reads a config file; null for a missing file. An unchanged file is not read again: the start of a conversation asks
 * for it ten times. Throws `ConfigError` with file and line.
 */
export function readConfigFile(path: string, shownPath: string): Layer | null {
  const stamp = settledStamp(path)
  if (stamp !== null && newest?.stamp === stamp && newest.path === path && newest.shownPath === shownPath)
    return newest.layer
  const text = readIfPresent(path, shownPath)
  if (text === null) return null
  newest = { path, stamp, text, shownPath, layer: layerOfText(text, shownPath) }
  return newest.layer
}

/** Parses a config file, or returns the result for the same text. */
function layerOfText(text: string, shownPath: string): Layer {
  if (newest?.text === text && newest.shownPath === shownPath) return newest.layer
  return layerOf(parseToml(text, shownPath), shownPath, (path) => lineOfKey(text, path))
}

function readIfPresent(path: string, shownPath: string): string | null {
  try {
    return readIfExists(path)
  } catch (error) {
    if (error instanceof DanglingLinkError) throw new ConfigError(shownPath, `cannot be read: ${error.message}`)
    // After the comma come the function that failed and the path again.
    const [cause] = errorMessage(error).split(', ')
    throw new ConfigError(shownPath, `cannot be read (${cause}).`)
  }
}

/**
 * Checks the keys of a source and returns it as a layer, with a warning for each key without effect. Throws
 * `ConfigError` for a value that does not fit its key.
 */
export function layerOf(
  raw: Record<string, unknown>,
  origin: string,
  lineOf: (path: readonly PropertyKey[]) => number | null,
): Layer {
  const at = (path: readonly PropertyKey[]) => {
    const line = lineOf(path)
    return line === null ? origin : `${origin}:${line}`
  }
  const values = withParleyNames(raw)
  const parsed = schemaOfKeys(values).safeParse(values, { error: sayIssue })
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const path = issue?.path ?? []
    const key = path.filter((part) => typeof part === 'string').join('.')
    const example = path[0] === 'hooks' ? ` For example: ${hookExample}` : ''
    throw new ConfigError(at(path), `${key}: ${issue?.message ?? 'not valid'}.${example}`)
  }
  const named = withVariableNames(parsed.data, at)
  const warnings = [...unknownKeyWarnings(values, at), ...named.warnings]
  return { origin, values: named.values, warnings, misplaced: named.misplaced }
}

/** Returns the layer of `-c key=value`. A value is read as TOML, or as plain text if it is not TOML or only text fits. */
export function layerOfOverrides(overrides: Record<string, unknown>, origin: string): Layer {
  const given = Object.entries(overrides)
  if (given.length === 0) return { origin, values: {}, warnings: [] }
  const root = emptyTable()
  for (const [path, value] of given) setAt(root, splitKey(path), fittingValue(path, value))
  const layer = layerOf(root, origin, () => null)
  const { values, warnings } = layer
  const { secrets, ...others } = values
  if (secrets === undefined) return layer
  return { ...layer, values: others, warnings: [...warnings, `${origin}: "secrets" ${onlyInFile}`] }
}

// The places are hidden from all conversations of a server, and from its tool servers, which share one list.
const onlyInFile = 'is ignored: only $PARLEY_HOME/config.toml can name places of secrets.'

function fittingValue(path: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = tomlValue(value)
  // A text in quotes is meant as it is: `""` is an empty text, and not two quotes.
  if (typeof parsed === 'string') return parsed
  return fits(path, parsed) || !fits(path, value) ? parsed : value
}

function fits(path: string, value: unknown): boolean {
  const root = emptyTable()
  setAt(root, splitKey(path), value)
  return schemaOfKeys(root).safeParse(root).success
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

/** Returns a table without a prototype, so that a key such as `__proto__` is an ordinary one. */
function emptyTable(): Record<string, unknown> {
  return Object.create(null)
}

/** Returns the fault of a value and the expected value, for schemas without a message of their own. */
function sayIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing, and must be ${typeWords[issue.expected] ?? issue.expected}`
        : `must be ${typeWords[issue.expected] ?? issue.expected}, and is ${inputKind(issue.input)}`
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
    case 'too_big':
      return `must ${amount(issue.origin, `at most ${issue.maximum}`)}`
    case 'too_small':
      return `must ${amount(issue.origin, `at least ${issue.minimum}`)}`
    default:
      return undefined
  }
}

const typeWords: Readonly<Record<string, string>> = {
  array: 'a list ([…])',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a table',
  record: 'a table',
  string: 'a text ("…")',
}

function inputKind(value: unknown): string {
  return Array.isArray(value) ? 'a list' : (inputWords[typeof value] ?? 'a table')
}

const inputWords: Readonly<Record<string, string>> = {
  bigint: 'a number',
  boolean: 'true or false',
  number: 'a number',
  string: 'a text',
}

const counted: Readonly<Record<string, { readonly one: string; readonly more: string }>> = {
  string: { one: 'character', more: 'characters' },
  array: { one: 'entry', more: 'entries' },
}

function amount(origin: string, limit: string): string {
  const what = counted[origin]
  return what === undefined ? `be ${limit}` : `have ${limit} ${limit.endsWith(' 1') ? what.one : what.more}`
}
