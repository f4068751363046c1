import { isRecord } from '@parley/text'
import type { ToolRules } from '../port/tool-rules.ts'
import { mapSchemas, type Schema } from './keywords.ts'
import { validSchema } from './valid-schema.ts'

/** Most references that are written out in a schema, and most characters of their targets with further references. */
const maxWritten = 100
const maxWrittenChars = 200_000

interface Resolution {
  readonly schema: Schema
  /** The schema before anything in it was moved or renamed. */
  readonly original: Schema
  readonly rules: ToolRules
  /** True where parts of the schema have names that the API resolves. */
  readonly hasNames: boolean
  /** Budget of references that may still be written out, and of their characters. */
  readonly left: { references: number; chars: number }
}

const givesName = /"\$(?:id|anchor|dynamicAnchor)":/

/**
 * Returns a schema without dead references. A reference that an API would not follow is written out in its resolution;
 * one that leads nowhere, or back to itself, allows any value.
 */
export function resolveReferences(schema: Schema, original: Schema, rules: ToolRules): Schema {
  const hasNames = givesName.test(JSON.stringify(original))
  const left = { references: maxWritten, chars: maxWrittenChars }
  return resolveSchema(schema, { schema, original, rules, hasNames, left }, [])
}

function resolveSchema(node: Schema, resolution: Resolution, trail: readonly string[]): Schema {
  const { $ref: ref, ...beside } = node
  if (typeof ref !== 'string') return mapSchemas(node, (inner) => resolveSchema(inner, resolution, trail))
  if (isKept(ref, resolution))
    return resolution.rules.plainReferences ? bareReference(node) : resolveInner(node, resolution, trail)
  const target = trail.includes(ref) ? undefined : resolvePointer(resolution.original, ref)
  if (!isRecord(target) || !takeBudget(target, resolution)) return resolveInner(beside, resolution, trail)
  return {
    ...resolveSchema(validSchema(target, resolution.rules), resolution, [...trail, ref]),
    ...resolveInner(beside, resolution, trail),
  }
}

/** Takes one reference from the budget; false when the budget is used up. */
function takeBudget(target: Schema, { left }: Resolution): boolean {
  if (left.references === 0 || left.chars < 0) return false
  left.references -= 1
  left.chars -= JSON.stringify(target).length
  return left.chars >= 0
}

function resolveInner(node: Schema, resolution: Resolution, trail: readonly string[]): Schema {
  return mapSchemas(node, (inner) => resolveSchema(inner, resolution, trail))
}

function isKept(ref: string, { schema, rules, hasNames }: Resolution): boolean {
  if (rules.plainReferences && !/^#\/\$defs\/[^/]+$/.test(ref)) return false
  if (!ref.startsWith('#/') && ref !== '#') return hasNames
  return resolvePointer(schema, ref) !== undefined
}

function bareReference({ $ref, description, default: otherwise }: Schema): Schema {
  return {
    $ref,
    ...(description === undefined ? {} : { description }),
    ...(otherwise === undefined ? {} : { default: otherwise }),
  }
}

/** Returns the schema that a JSON pointer leads to; undefined where there is no schema. */
export function resolvePointer(schema: Schema, ref: string): Schema | boolean | undefined {
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
