import { isRecord } from '@parley/text'
import type { ToolRules } from '../port/tool-rules.ts'
import { mapSchemas, type Schema } from './keywords.ts'
import { validSchema } from './valid-schema.ts'

/** Most references that are written out in a schema, since each may hold others. */
const maxWritten = 100

interface Place {
  readonly schema: Schema
  /** The schema before anything in it was moved or renamed. */
  readonly original: Schema
  readonly rules: ToolRules
  /** Number of references that may still be written out. */
  left: number
}

/**
 * Returns a schema whose references all lead somewhere. One that an API would not follow is written out in its place; one
 * that leads nowhere, or back to itself, allows any value.
 */
export function settleReferences(schema: Schema, original: Schema, rules: ToolRules): Schema {
  return settled(schema, { schema, original, rules, left: maxWritten }, [])
}

function settled(node: Schema, place: Place, trail: readonly string[]): Schema {
  const { $ref: ref, ...beside } = node
  if (typeof ref !== 'string') return mapSchemas(node, (inner) => settled(inner, place, trail))
  if (staysAs(ref, place)) return place.rules.plainReferences ? alone(node) : inside(node, place, trail)
  const target = trail.includes(ref) || place.left === 0 ? undefined : pointed(place.original, ref)
  if (!isRecord(target)) return inside(beside, place, trail)
  place.left -= 1
  return { ...settled(validSchema(target, place.rules), place, [...trail, ref]), ...inside(beside, place, trail) }
}

function inside(node: Schema, place: Place, trail: readonly string[]): Schema {
  return mapSchemas(node, (inner) => settled(inner, place, trail))
}

function staysAs(ref: string, { schema, original, rules }: Place): boolean {
  if (rules.plainReferences && !/^#\/\$defs\/[^/]+$/.test(ref)) return false
  // Names instead of places are found by the API.
  if (!ref.startsWith('#/') && ref !== '#') return /"\$(?:id|anchor|dynamicAnchor)":/.test(JSON.stringify(original))
  return pointed(schema, ref) !== undefined
}

function alone({ $ref, description, default: otherwise }: Schema): Schema {
  return {
    $ref,
    ...(description === undefined ? {} : { description }),
    ...(otherwise === undefined ? {} : { default: otherwise }),
  }
}

/** Returns what a JSON pointer leads to; undefined where there is no schema. */
export function pointed(schema: Schema, ref: string): Schema | boolean | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined
  let at: unknown = schema
  for (const step of ref.split('/').slice(1)) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = new Map<string, unknown>(Object.entries(at)).get(name)
  }
  return isRecord(at) || typeof at === 'boolean' ? at : undefined
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
