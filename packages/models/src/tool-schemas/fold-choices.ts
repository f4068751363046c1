import { isRecord } from '@parley/text'
import { mapValues, type Schema } from './keywords.ts'
import { resolvePointer } from './references.ts'

interface Folded {
  readonly schema: Schema
  /** Keywords that stood at the top. */
  readonly keywords: readonly string[]
  /** Names that each of the choices requires; empty where the choices do not differ by them. */
  readonly choices: readonly (readonly string[])[]
}

/** Most schemas within each other that are folded, and most of one tool; a reference may lead to the same one often. */
const maxLevels = 8
const maxFolded = 500

/**
 * Returns a schema without the keywords at its top. The properties of its choices become its own; a property is
 * required if each choice requires it.
 */
export function foldChoices(schema: Schema, keywords: readonly string[]): Folded {
  const found = keywords.filter((keyword) => keyword in schema)
  if (found.length === 0) return { schema, keywords: [], choices: [] }
  const object = objectOf(schema, { root: schema, level: 0, left: { schemas: maxFolded } })
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
  /** Number of schemas that may still be folded of the tool. */
  readonly left: { schemas: number }
}

const anyObject: ObjectPart = { properties: {}, required: [], defs: {} }

function objectOf(schema: Schema, depth: Depth): ObjectPart {
  if (depth.left.schemas === 0) return anyObject
  depth.left.schemas -= 1
  const own: ObjectPart = {
    properties: isRecord(schema['properties']) ? schema['properties'] : {},
    required: namesIn(schema['required']),
    defs: isRecord(schema['$defs']) ? schema['$defs'] : {},
  }
  if (depth.level === maxLevels) return own
  const all = partsOf(schema['allOf'], depth)
  const chosen = ['anyOf', 'oneOf'].map((keyword) => oneOfThese(partsOf(schema[keyword], depth)))
  return allOfThese([own, ...all, ...chosen])
}

/** Returns the parts of a list that describe an object; a part such as `null` is left out. */
function partsOf(list: unknown, depth: Depth): readonly ObjectPart[] {
  return schemasIn(list, depth.root).map((inner) => objectOf(inner, { ...depth, level: depth.level + 1 }))
}

function schemasIn(list: unknown, root: Schema): readonly Schema[] {
  return (Array.isArray(list) ? list : [])
    .map((inner) =>
      isRecord(inner) && typeof inner['$ref'] === 'string' ? resolvePointer(root, inner['$ref']) : inner,
    )
    .filter(isRecord)
    .filter(({ type }) => type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object')))
}

function allOfThese(parts: readonly ObjectPart[]): ObjectPart {
  const defs = new Map(parts.flatMap((part) => Object.entries(part.defs)))
  return {
    properties: merged(parts.map(({ properties }) => properties)),
    required: [...new Set(parts.flatMap(({ required }) => required))],
    defs: Object.fromEntries(defs),
  }
}

function oneOfThese(parts: readonly ObjectPart[]): ObjectPart {
  const [first, ...others] = parts.map(({ required }) => new Set(required))
  const required = [...(first ?? [])].filter((name) => others.every((names) => names.has(name)))
  return { ...allOfThese(parts), required }
}

/** Merges properties by name. One that two describe in different words may be as either says. */
function merged(all: readonly Schema[]): Schema {
  const forms = new Map<string, unknown[]>()
  for (const [name, value] of all.flatMap((properties) => Object.entries(properties))) {
    const known = forms.get(name)
    if (known === undefined) forms.set(name, [value])
    else known.push(value)
  }
  return Object.fromEntries(forms.entries().map(([name, values]) => [name, eitherOf(values)]))
}

function eitherOf(values: readonly unknown[]): unknown {
  const [first, ...others] = differing(values)
  if (others.length === 0) return first
  return { anyOf: differing([...(isRecord(first) && isEither(first) ? first.anyOf : [first]), ...others]) }
}

function differing(values: readonly unknown[]): readonly unknown[] {
  if (values.length < 2) return values
  const known = new Set<string | undefined>()
  return values.filter((value) => known.size !== known.add(JSON.stringify(value)).size)
}

function isEither(schema: Schema): schema is { anyOf: readonly unknown[] } {
  return Object.keys(schema).length === 1 && Array.isArray(schema['anyOf'])
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
