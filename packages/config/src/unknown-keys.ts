import { closest } from '@parley/text'
import type { z } from 'zod'

export interface UnknownKey {
  readonly path: readonly string[]
  readonly suggestion: string | null
}

/** Keys of a table that its schema does not know, with the known one that was likely meant. */
export function unknownKeys(value: unknown, schema: z.ZodType, path: readonly string[] = []): UnknownKey[] {
  if (!isTable(value)) return []
  const known = tableShape(schema)
  if (known === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerSchema = known(key)
    if (innerSchema === null) return [{ path: [...path, key], suggestion: closest(key, known.names) }]
    return unknownKeys(inner, innerSchema, [...path, key])
  })
}

type TableShape = ((key: string) => z.ZodType | null) & { readonly names: readonly string[] }

/** The schema behind each key of a table; null for what is not a table. */
function tableShape(schema: z.ZodType): TableShape | null {
  const { def } = unwrapped(schema)
  if (def.type === 'object') {
    const shape: Record<string, z.ZodType> = 'shape' in def && isTable(def.shape) ? asSchemas(def.shape) : {}
    return Object.assign((key: string) => (Object.hasOwn(shape, key) ? (shape[key] ?? null) : null), {
      names: Object.keys(shape),
    })
  }
  if (def.type === 'record' && 'valueType' in def) {
    const inner = asSchemas({ value: def.valueType })['value']
    return Object.assign(() => inner ?? null, { names: [] })
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

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
