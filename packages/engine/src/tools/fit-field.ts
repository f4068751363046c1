import { fileURLToPath } from 'node:url'

/** Field of a tool's arguments, with what models write in its place. */
export interface Field {
  /** Names that models know from the tools of other programs. */
  readonly otherNames?: readonly string[]
  readonly kind?: 'number' | 'boolean' | 'texts' | 'path'
  /** Limits of a number: one beyond them stands for the nearest that is possible. */
  readonly least?: number
  readonly most?: number
  /** True for a number that means no limit where it is too small. */
  readonly isOff?: true
}

/** Returns the value that a field takes; undefined for a value that means "not given". */
export function fitValue(value: unknown, { kind, least, most, isOff }: Field): unknown {
  if (kind === 'boolean') return booleanIn(value)
  if (kind === 'texts') return typeof value === 'string' ? textsIn(value) : value
  if (kind === 'path') return typeof value === 'string' ? pathIn(value) : value
  const number = kind === 'number' ? numberIn(value) : value
  if (typeof number !== 'number' || least === undefined || most === undefined) return number
  if (number < least && isOff === true) return undefined
  return Math.min(most, Math.max(least, Math.trunc(number)))
}

/** Reads a number that was written as a text. */
export function numberIn(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
}

function booleanIn(value: unknown): unknown {
  return typeof value === 'string' && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value
}

/** Reads a text as a list of one, or as the list that it holds as JSON. */
function textsIn(value: string): readonly unknown[] {
  try {
    const inner: unknown = value.startsWith('[') ? JSON.parse(value) : null
    if (Array.isArray(inner)) return inner
  } catch {
    // A glob may begin with a class.
  }
  return [value]
}

function pathIn(value: string): string {
  try {
    return value.startsWith('file://') ? fileURLToPath(value, { windows: false }) : value
  } catch {
    return value
  }
}

/** Reads a path with a line or a range of lines behind it, as compilers print it, where no other line is asked for. */
export function withLine(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof args['path'] !== 'string' || 'offset' in args) return args
  const [, path, first, last] = /^(.*[^/]\.\w+):(\d+)(?:-(\d+)|:\d+)?$/s.exec(args['path']) ?? []
  if (path === undefined) return args
  const offset = Math.max(1, Number(first))
  const limit = last === undefined ? {} : { limit: Math.max(1, Number(last) - offset + 1) }
  return { ...limit, ...args, path, offset }
}
