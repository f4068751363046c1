import { isRecord } from '@parley/text'
import { mapValues, type Schema } from './keywords.ts'
import { pointed } from './references.ts'

interface Folded {
  readonly schema: Schema
  /** Keywords that stood at the top. */
  readonly keywords: readonly string[]
  /** Names that each of the choices requires; empty where the choices do not differ by them. */
  readonly choices: readonly (readonly string[])[]
}

/** Most schemas within each other that are folded. */
const maxLevels = 8

/**
 * Returns a schema without the keywords at its top. The properties of its choices become its own, and those are required
 * that each choice requires.
 */
export function foldChoices(schema: Schema, keywords: readonly string[]): Folded {
  const found = keywords.filter((keyword) => keyword in schema)
  if (found.length === 0) return { schema, keywords: [], choices: [] }
  const object = objectOf(schema, { root: schema, level: 0 })
  const { properties: _, required: __, $defs: ___, ...rest } = withoutKeys(schema, [...combinators, ...found])
  return {
    schema: {
      ...rest,
      properties: object.properties,
      ...(object.required.length === 0 ? {} : { required: object.required }),
      ...(Object.keys(object.defs).length === 0 ? {} : { $defs: object.defs }),
    },
    keywords: found,
    choices: choicesIn(schema),
  }
}

const combinators = ['anyOf', 'oneOf', 'allOf']

function withoutKeys(schema: Schema, keys: readonly string[]): Schema {
  return mapValues(schema, (value, key) => (keys.includes(key) ? undefined : value))
}

/** Part of a schema that describes an object. */
interface ObjectPart {
  readonly properties: Schema
  readonly required: readonly string[]
  readonly defs: Schema
}

interface Depth {
  readonly root: Schema
  readonly level: number
}

function objectOf(schema: Schema, depth: Depth): ObjectPart {
  const own: ObjectPart = {
    properties: isRecord(schema['properties']) ? schema['properties'] : {},
    required: namesIn(schema['required']),
    defs: isRecord(schema['$defs']) ? schema['$defs'] : {},
  }
  if (depth.level === maxLevels) return own
  const all = partsOf(schema['allOf'], depth)
  const chosen = ['anyOf', 'oneOf'].map((keyword) => oneOfThese(partsOf(schema[keyword], depth)))
  return [...all, ...chosen].reduce(both, own)
}

/** Returns the parts of a list that describe an object; null, for one, is none. */
function partsOf(list: unknown, { root, level }: Depth): readonly ObjectPart[] {
  return schemasIn(list, root).map((inner) => objectOf(inner, { root, level: level + 1 }))
}

function schemasIn(list: unknown, root: Schema): readonly Schema[] {
  return (Array.isArray(list) ? list : [])
    .map((inner) => (isRecord(inner) && typeof inner['$ref'] === 'string' ? pointed(root, inner['$ref']) : inner))
    .filter(isRecord)
    .filter(({ type }) => type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object')))
}

function both(a: ObjectPart, b: ObjectPart): ObjectPart {
  return {
    properties: merged(a.properties, b.properties),
    required: [...new Set([...a.required, ...b.required])],
    defs: { ...a.defs, ...b.defs },
  }
}

function oneOfThese(parts: readonly ObjectPart[]): ObjectPart {
  const [first, ...others] = parts
  const together = parts.reduce(both, { properties: {}, required: [], defs: {} })
  const required = (first?.required ?? []).filter((name) => others.every((part) => part.required.includes(name)))
  return { ...together, required }
}

/** A property that two describe in different words may be as either says. */
function merged(a: Schema, b: Schema): Schema {
  const known = new Map(Object.entries(a))
  for (const [name, value] of Object.entries(b))
    known.set(name, known.has(name) ? eitherOf(known.get(name), value) : value)
  return Object.fromEntries(known)
}

function eitherOf(before: unknown, value: unknown): unknown {
  if (isEqual(before, value)) return before
  const either = isRecord(before) && isEither(before) ? before.anyOf : [before]
  return { anyOf: either.some((one) => isEqual(one, value)) ? either : [...either, value] }
}

function isEither(schema: Schema): schema is { anyOf: readonly unknown[] } {
  return Object.keys(schema).length === 1 && Array.isArray(schema['anyOf'])
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function choicesIn(schema: Schema): readonly (readonly string[])[] {
  const lists = ['anyOf', 'oneOf'].map((keyword) => schemasIn(schema[keyword], schema))
  const choices = lists.flat().map((inner) => namesIn(inner['required']))
  const differ = new Set(choices.map((names) => names.toSorted().join('\n'))).size > 1
  return differ ? choices.filter((names) => names.length > 0) : []
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
