import { isRecord } from '@parley/text'
import type { ToolRules } from '../port/tool-rules.ts'
import { mapSchemas, type Schema } from './keywords.ts'
import { validSchema } from './valid-schema.ts'

/** Most references that are written out in a schema, and the characters of all that they lead to: each may hold others. */
const maxWritten = 100
const maxWrittenChars = 200_000

interface Place {
  readonly schema: Schema
  /** The schema before anything in it was moved or renamed. */
  readonly original: Schema
  readonly rules: ToolRules
  /** True where the schema gives names to its parts, which the API finds. */
  readonly hasNames: boolean
  /** References that may still be written out, and their characters. */
  readonly left: { references: number; chars: number }
}

const givesName = /"\$(?:id|anchor|dynamicAnchor)":/

/**
 * Returns a schema whose references all lead somewhere. One that an API would not follow is written out in its place; one
 * that leads nowhere, or back to itself, allows any value.
 */
export function settleReferences(schema: Schema, original: Schema, rules: ToolRules): Schema {
  const hasNames = givesName.test(JSON.stringify(original))
  const left = { references: maxWritten, chars: maxWrittenChars }
  return settled(schema, { schema, original, rules, hasNames, left }, [])
}

function settled(node: Schema, place: Place, trail: readonly string[]): Schema {
  const { $ref: ref, ...beside } = node
  if (typeof ref !== 'string') return mapSchemas(node, (inner) => settled(inner, place, trail))
  if (staysAs(ref, place)) return place.rules.plainReferences ? alone(node) : inside(node, place, trail)
  const target = trail.includes(ref) ? undefined : pointed(place.original, ref)
  if (!isRecord(target) || !mayWrite(target, place)) return inside(beside, place, trail)
  return { ...settled(validSchema(target, place.rules), place, [...trail, ref]), ...inside(beside, place, trail) }
}

/** Tells if one more reference may be written out, and counts it. */
function mayWrite(target: Schema, { left }: Place): boolean {
  if (left.references === 0 || left.chars < 0) return false
  left.references -= 1
  left.chars -= JSON.stringify(target).length
  return left.chars >= 0
}

function inside(node: Schema, place: Place, trail: readonly string[]): Schema {
  return mapSchemas(node, (inner) => settled(inner, place, trail))
}

function staysAs(ref: string, { schema, rules, hasNames }: Place): boolean {
  if (rules.plainReferences && !/^#\/\$defs\/[^/]+$/.test(ref)) return false
  if (!ref.startsWith('#/') && ref !== '#') return hasNames
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
    at = Reflect.get(at, name)
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
