import { codexKeys, configKeys } from '@parley/protocol/config-keys'
import { closest } from '@parley/text'
import type { z } from 'zod'
import { schemaOfKeys } from './config-schema.ts'
import { isTable } from './toml.ts'

/** Names of keys in a Codex configuration, and the names of the same keys here. */
const parleyNames: Readonly<Record<string, string>> = { http_headers: 'headers', env_http_headers: 'env_headers' }

/** Keys of Codex that have no effect here, as dotted paths; each stands for all keys below it as well. */
const withoutEffect: readonly string[] = [
  ...codexKeys,
  'sandbox_workspace_write.exclude_slash_tmp',
  'sandbox_workspace_write.exclude_tmpdir_env_var',
  'tui',
]

/** Returns a configuration with parley's names for keys that Codex calls otherwise. */
export function withParleyNames(raw: Record<string, unknown>): Record<string, unknown> {
  const providers = raw['model_providers']
  if (!isTable(providers)) return raw
  const renamed = Object.entries(providers).map(([id, provider]) => [
    id,
    isTable(provider) ? rename(provider) : provider,
  ])
  return { ...raw, model_providers: Object.fromEntries(renamed) }
}

function rename(provider: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(provider).map(([key, value]) => [parleyNames[key] ?? key, value]))
}

/** Returns a warning for each key that the schema lacks. `at` returns the place of a key: file and line. */
export function unknownKeyWarnings(
  values: Record<string, unknown>,
  at: (path: readonly string[]) => string,
): readonly string[] {
  const known = tableShape(schemaOfKeys(values))
  if (known === null) return []
  return unknownKeys(values, { ...known, names: configKeys }).map(({ path, suggestion }) => {
    if (isCodexKey(path)) return `${at(path)}: "${path.join('.')}" has no effect in parley.`
    const hint = suggestion === null ? 'It is ignored.' : `Did you mean "${suggestion}"?`
    return `${at(path)}: unknown key "${path.join('.')}". ${hint}`
  })
}

function isCodexKey(path: readonly string[]): boolean {
  return path.some((_, index) => withoutEffect.includes(path.slice(0, index + 1).join('.')))
}

interface UnknownKey {
  readonly path: readonly string[]
  readonly suggestion: string | null
}

/** Returns the keys of a table that its schema lacks, each with the key that was probably meant. */
function unknownKeys(table: Record<string, unknown>, known: TableShape, path: readonly string[] = []): UnknownKey[] {
  return Object.entries(table).flatMap(([key, inner]) => {
    const schema = known.schemaOf(key)
    if (schema === null) return [{ path: [...path, key], suggestion: closest(key, known.names) }]
    return unknownBelow(inner, schema, [...path, key])
  })
}

function unknownBelow(inner: unknown, schema: z.ZodType, path: readonly string[]): UnknownKey[] {
  const elements = elementSchema(schema)
  if (elements !== null && Array.isArray(inner))
    return inner.flatMap((element: unknown) => unknownBelow(element, elements, path))
  const below = tableShape(schema)
  return below === null || !isTable(inner) ? [] : unknownKeys(inner, below, path)
}

/** Returns the schema of an array's elements; null for a schema that is not one of an array. */
function elementSchema(schema: z.ZodType): z.ZodType | null {
  const { def } = unwrapped(schema)
  return def.type === 'array' && 'element' in def ? (asSchemas({ value: def.element })['value'] ?? null) : null
}

interface TableShape {
  /** Returns the schema of a key; null for an unknown one. */
  readonly schemaOf: (key: string) => z.ZodType | null
  readonly names: readonly string[]
}

/** Returns the keys of a table's schema; null for a schema that is not one of a table. */
function tableShape(schema: z.ZodType): TableShape | null {
  const { def } = unwrapped(schema)
  if (def.type === 'object') {
    const shape: Record<string, z.ZodType> = 'shape' in def && isTable(def.shape) ? asSchemas(def.shape) : {}
    return {
      schemaOf: (key) => (Object.hasOwn(shape, key) ? (shape[key] ?? null) : null),
      names: Object.keys(shape),
    }
  }
  if (def.type === 'record' && 'valueType' in def) {
    const inner = asSchemas({ value: def.valueType })['value']
    return { schemaOf: () => inner ?? null, names: [] }
  }
  return null
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const { def } = schema
  return def.type === 'optional' && 'innerType' in def
    ? (asSchemas({ value: def.innerType })['value'] ?? schema)
    : schema
}

function asSchemas(shape: Record<string, unknown>): Record<string, z.ZodType> {
  return shape as Record<string, z.ZodType> // narrowed: zod's own definition objects hold schemas under these keys
}
