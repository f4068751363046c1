import { isRecord } from '@parley/text'

export type Schema = Readonly<Record<string, unknown>>

/** Kind of value of a keyword of JSON Schema (draft 2020-12). Keywords outside of this table may have any value. */
type KeywordKind =
  | 'count'
  | 'flag'
  | 'list'
  | 'names'
  | 'namesByName'
  | 'number'
  | 'pattern'
  | 'schema'
  | 'schemas'
  | 'schemasByName'
  | 'schemasByPattern'
  | 'text'
  | 'type'
  | 'values'

const keywordsOf: Readonly<Record<KeywordKind, readonly string[]>> = {
  count: [
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
    ...['minContains', 'maxContains'],
  ],
  flag: ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'],
  list: ['examples'],
  names: ['required'],
  namesByName: ['dependentRequired'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  pattern: ['pattern'],
  schema: [
    ...['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'],
    ...['unevaluatedItems', 'unevaluatedProperties', 'additionalItems'],
  ],
  schemas: ['anyOf', 'oneOf', 'allOf', 'prefixItems'],
  schemasByName: ['properties', '$defs', 'definitions', 'dependentSchemas'],
  schemasByPattern: ['patternProperties'],
  text: ['$ref', '$id', '$schema', '$anchor', '$comment', 'title', 'description', 'format'],
  type: ['type'],
  values: ['enum'],
}

const kinds = new Map(
  Object.entries(keywordsOf).flatMap(([kind, keywords]) => keywords.map((keyword) => [keyword, kind] as const)),
)

export function kindOf(keyword: string): string | undefined {
  return kinds.get(keyword)
}

/** Returns a schema with each schema directly in it changed; the order of its keywords stays. */
export function mapSchemas(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const changed = (value: unknown) => (isRecord(value) ? change(value) : value)
  return mapValues(schema, (value, keyword) => {
    switch (kindOf(keyword)) {
      case 'schema':
        return changed(value)
      case 'schemas':
        return Array.isArray(value) ? value.map(changed) : value
      case 'schemasByName':
      case 'schemasByPattern':
        return isRecord(value) ? mapValues(value, changed) : value
      default:
        return value
    }
  })
}

/** Returns a record with each value changed; one that becomes undefined is left out. */
export function mapValues(record: Schema, change: (value: unknown, name: string) => unknown): Schema {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const changed = change(value, name)
      return changed === undefined ? [] : [[name, changed]]
    }),
  )
}
