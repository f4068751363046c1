import { isRecord } from '@parley/text'

type Schema = Readonly<Record<string, unknown>>

/** Keywords with any JSON as value, also null. */
const anyValue = new Set(['const', 'default', 'enum', 'example', 'examples'])
/** Keywords that hold schemas by name. */
const byName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** Most levels that are read of a schema or message; every API takes fewer. */
export const maxDepth = 100

/** Returns a schema without the nulls that some servers write for absent values; null for one nested too deeply. */
export function withoutNulls(schema: Schema): Schema | null {
  return isDeeper(schema, maxDepth) ? null : cleaned(schema)
}

function cleaned(schema: Schema): Schema {
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    if (anyValue.has(keyword)) return [[keyword, value]]
    if (value === null) return []
    if (byName.has(keyword) && isRecord(value)) return [[keyword, eachCleaned(value)]]
    if (Array.isArray(value)) return [[keyword, value.flatMap((one) => elementOf(keyword, one))]]
    return [[keyword, isRecord(value) ? cleaned(value) : value]]
  })
  return Object.fromEntries(entries)
}

function eachCleaned(schemas: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, one]) => [name, isRecord(one) ? cleaned(one) : (one ?? {})]),
  )
}

function elementOf(keyword: string, value: unknown): readonly unknown[] {
  // In YAML `null` in a list of types becomes the value null, where the name of the type was meant.
  if (value === null) return keyword === 'type' ? ['null'] : []
  return [isRecord(value) ? cleaned(value) : value]
}

/** Tests if a value has more levels; looks no further in. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
