import { isRecord } from '@parley/text'
import { eventShapes } from './event-shapes.ts'

/**
 * Checks a value against one shape. Returns the path of the first wrong field and the expected value; null for a
 * fitting value.
 */
type ShapeCheck = (value: unknown) => string | null

/**
 * Returns the place where an event breaks its published schema, such as `settings.model is empty`; null for a valid
 * event. Further fields are allowed, as in the schema. Uses a table, since the schemas themselves would slow the start
 * of a server.
 */
export function eventProblem(event: { readonly type: string }): string | null {
  if (!Object.hasOwn(eventShapes, event.type)) return `type is ${JSON.stringify(event.type)}`
  return problemBy(written, event)
}

/**
 * Returns the place where an event of a log breaks the schema, so that the event must not be used; null for a usable
 * one. Unknown types of events and items pass: a later program may have written them.
 */
export function storedEventProblem(event: { readonly type: string }): string | null {
  return Object.hasOwn(eventShapes, event.type) ? problemBy(stored, event) : null
}

/** Checks by the name of a table row, each compiled at its first use. */
interface Checks {
  readonly byName: Map<string, ShapeCheck>
  /** Name of the shape that admits unknown types with the fields of all known ones; null for closed shapes. */
  readonly open: string | null
}

const written: Checks = { byName: new Map(), open: null }
const stored: Checks = { byName: new Map(), open: '#item' }

function problemBy(checks: Checks, event: { readonly type: string }): string | null {
  return checkOf(event.type, checks)(event)?.replace(/^\./, '') ?? null
}

function checkOf(name: string, checks: Checks): ShapeCheck {
  const known = checks.byName.get(name)
  if (known !== undefined) return known
  const shape: unknown = JSON.parse(eventShapes[name] ?? '"any"')
  const closed = compile(shape, checks)
  const check = checks.open === name && Array.isArray(shape) ? openTo(shape.slice(1), closed, checks) : closed
  checks.byName.set(name, check)
  return check
}

function compile(shape: unknown, checks: Checks): ShapeCheck {
  if (typeof shape === 'string') return shape.startsWith('#') ? named(shape, checks) : plain(shape)
  if (Array.isArray(shape)) return compound(shape, checks)
  return fields(shape, checks)
}

/** Looks the check up when it is used, so that a shape may hold itself. */
function named(name: string, checks: Checks): ShapeCheck {
  let check: ShapeCheck | undefined
  return (value) => {
    check ??= checkOf(name, checks)
    return check(value)
  }
}

const kinds: Readonly<Record<string, { readonly fits: (value: unknown) => boolean; readonly expected: string }>> = {
  any: { fits: () => true, expected: '' },
  null: { fits: (value) => value === null, expected: ' is not null' },
  text: { fits: (value) => typeof value === 'string', expected: ' is no text' },
  'text+': { fits: (value) => typeof value === 'string' && value !== '', expected: ' is empty or no text' },
  boolean: { fits: (value) => typeof value === 'boolean', expected: ' is neither true nor false' },
}

function plain(kind: string): ShapeCheck {
  const { fits, expected } = kinds[kind] ?? numberKind(kind)
  return (value) => (fits(value) ? null : expected)
}

/** Returns the kind of a number, such as `int`, `int>=1` or `number>0`. */
function numberKind(kind: string) {
  const [, name, comparison, least = '0'] = /^(int|number)(?:(>=?)(-?\d+))?$/.exec(kind) ?? []
  if (name === undefined) throw new Error(`no kind of value is called ${kind}`)
  const isNumber = name === 'int' ? Number.isSafeInteger : Number.isFinite
  const limit = Number(least)
  const isInRange = (value: number) =>
    comparison === undefined || value > limit || (comparison === '>=' && value === limit)
  const expected = ` is not ${name === 'int' ? 'a whole' : 'a finite'} number${comparison === undefined ? '' : ` ${comparison} ${limit}`}`
  return { fits: (value: unknown) => typeof value === 'number' && isNumber(value) && isInRange(value), expected }
}

function compound([kind, ...inner]: readonly unknown[], checks: Checks): ShapeCheck {
  switch (kind) {
    case '=':
      return (value) => (inner.includes(value) ? null : ` is none of ${inner.join(', ')}`)
    case 'list':
      return listOf(compile(inner[0], checks))
    case 'map':
      return mapOf(compile(inner[0], checks))
    default:
      return oneOf(inner, checks)
  }
}

function listOf(check: ShapeCheck): ShapeCheck {
  return (value) => {
    if (!Array.isArray(value)) return ' is no list'
    for (let index = 0; index < value.length; index++) {
      const problem = check(value[index])
      if (problem !== null) return `[${index}]${problem}`
    }
    return null
  }
}

function mapOf(check: ShapeCheck): ShapeCheck {
  return (value) => {
    if (!isRecord(value)) return ' is no object'
    for (const key of Object.keys(value)) {
      const problem = value[key] === undefined ? null : check(value[key])
      if (problem !== null) return `.${key}${problem}`
    }
    return null
  }
}

/** Checks a value against several shapes: by its `type` where each shape has its own, else one after the other. */
function oneOf(shapes: readonly unknown[], checks: Checks): ShapeCheck {
  const byType = new Map(shapes.flatMap((shape) => typesOf(shape).map((type) => [type, compile(shape, checks)])))
  if (byType.size === shapes.length) {
    return (value) => {
      const check = isRecord(value) ? byType.get(value['type']) : undefined
      return check === undefined ? ' has no known type' : check(value)
    }
  }
  const each = shapes.map((shape) => compile(shape, checks))
  return (value) => {
    const problems = each.map((check) => check(value))
    return problems.includes(null) ? null : (problems.at(-1) ?? null)
  }
}

/** Returns the words that the field `type` of a shape may be. */
function typesOf(shape: unknown): readonly unknown[] {
  const type = isRecord(shape) ? shape['type'] : undefined
  return Array.isArray(type) && type[0] === '=' ? type.slice(1) : []
}

/** Returns a check that also passes unknown types, if they have the fields that all known shapes share. */
function openTo(shapes: readonly unknown[], closed: ShapeCheck, checks: Checks): ShapeCheck {
  const known = new Set(shapes.flatMap(typesOf))
  const other = compile({ ...common(shapes), type: 'text' }, checks)
  return (value) => (isRecord(value) && known.has(value['type']) ? closed(value) : other(value))
}

/** Returns the fields that all shapes have alike. */
function common(shapes: readonly unknown[]): Readonly<Record<string, unknown>> {
  const [first, ...others] = shapes.filter(isRecord)
  const isShared = ([key, inner]: [string, unknown]) =>
    others.every((other) => JSON.stringify(other[key]) === JSON.stringify(inner))
  return Object.fromEntries(Object.entries(first ?? {}).filter(isShared))
}

function fields(shape: unknown, checks: Checks): ShapeCheck {
  const list = Object.entries(isRecord(shape) ? shape : {}).map(([key, inner]) => {
    const isOptional = key.endsWith('?')
    const name = isOptional ? key.slice(0, -1) : key
    return { name, isOptional, check: compile(inner, checks) }
  })
  return (value) => {
    if (!isRecord(value)) return ' is no object'
    for (const { name, isOptional, check } of list) {
      const field = value[name]
      // JSON omits undefined fields.
      if (field === undefined && isOptional) continue
      const problem = field === undefined ? ' is missing' : check(field)
      if (problem !== null) return `.${name}${problem}`
    }
    return null
  }
}
