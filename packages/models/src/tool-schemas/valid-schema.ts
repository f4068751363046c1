import { isRecord } from '@parley/text'
import type { ToolRules } from '../port/tool-rules.ts'
import { kindOf, mapValues, type Schema } from './keywords.ts'

const typeNames = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

/**
 * Returns a schema that an API's check of draft 2020-12 passes. A keyword with a value of a wrong kind is left out:
 * that allows more arguments, and the server itself checks them.
 */
export function validSchema(schema: Schema, rules: ToolRules): Schema {
  const tuple = schema['items']
  const modern = Array.isArray(tuple) ? fromTuple(schema, tuple) : schema
  const valid = mapValues(modern, (value, keyword) => validValue(keyword, value, rules))
  const isBare = rules.arraysHaveItems && isArray(valid['type']) && !('items' in valid)
  return isBare ? { ...valid, items: {} } : valid
}

/** Rewrites a list of elements from the form of draft 7 to the form of draft 2020-12. */
function fromTuple({ items: _, additionalItems, ...rest }: Schema, tuple: readonly unknown[]): Schema {
  const more = additionalItems === undefined ? {} : { items: additionalItems }
  return { ...rest, ...(tuple.length === 0 ? {} : { prefixItems: tuple }), ...more }
}

function isArray(type: unknown): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'))
}

function validValue(keyword: string, value: unknown, rules: ToolRules): unknown {
  const inner = (one: unknown) => validInner(one, rules)
  switch (kindOf(keyword)) {
    case 'schema':
      return inner(value)
    case 'schemas':
      return Array.isArray(value) && value.length > 0 ? value.map(inner) : undefined
    case 'schemasByName':
      return isRecord(value) ? mapValues(value, inner) : undefined
    case 'schemasByPattern':
      return isRecord(value)
        ? mapValues(value, (one, pattern) => (compiles(pattern, rules) ? inner(one) : undefined))
        : undefined
    case 'pattern':
      return typeof value === 'string' && compiles(value, rules) ? value : undefined
    default:
      return plainValue(keyword, value)
  }
}

/** Returns a schema in its place; anything else in it allows any value. */
function validInner(value: unknown, rules: ToolRules): unknown {
  if (typeof value === 'boolean') return value
  return isRecord(value) ? validSchema(value, rules) : {}
}

function plainValue(keyword: string, value: unknown): unknown {
  switch (kindOf(keyword)) {
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined
    case 'flag':
      return typeof value === 'boolean' ? value : undefined
    case 'list':
      return Array.isArray(value) ? value : undefined
    case 'names':
      return namesIn(value)
    case 'namesByName':
      return isRecord(value) ? mapValues(value, namesIn) : undefined
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'text':
      return typeof value === 'string' ? value : undefined
    case 'type':
      return typeIn(value)
    case 'values':
      return Array.isArray(value) && value.length > 0 ? value : undefined
    default:
      return value
  }
}

function namesIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? [...new Set(value.filter((one) => typeof one === 'string'))] : undefined
}

function typeIn(value: unknown): unknown {
  if (!Array.isArray(value)) return typeof value === 'string' && typeNames.has(value) ? value : undefined
  const known = [...new Set(value.filter((one) => typeof one === 'string' && typeNames.has(one)))]
  return known.length === 0 ? undefined : known
}

/** Escapes of letters, named groups and characters by their number that Python does not know in this form. */
const notPython = /(?:^|[^\\])(?:\\\\)*(?:\\(?![abBdDfnrsStuUvwWxAZN])[A-Za-z]|\\u\{|\(\?<[A-Za-z])/

function compiles(pattern: string, { pythonPatterns }: ToolRules): boolean {
  return !pythonPatterns || !notPython.test(pattern)
}
