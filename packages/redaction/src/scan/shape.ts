/** Result of matching a shape at a place: the range of the secret, no match, or more text needed to decide. */
export type ShapeMatch = { readonly start: number; readonly end: number } | 'no' | 'more'

/** Step of a shape: `min` to `max` characters of a class, matched greedily without backtracking. */
interface ShapeStep {
  readonly of: CharacterClass
  readonly min: number
  readonly max: number
}

/** Compiled shape of a key. */
export interface Shape {
  readonly steps: readonly ShapeStep[]
  /** Steps that match the secret itself: the first, and the one after the last. */
  readonly secret: readonly [from: number, to: number]
  /** True when no letter or digit may follow. */
  readonly closed: boolean
  /** Number of further characters that the last step may match; `fullEnd` reads them once the secret is certain. */
  readonly more: number
}

interface SourceCursor {
  readonly source: string
  at: number
}

/**
 * Compiles a shape from the source of a regular expression without choices: literals, `[classes]`, `\s`, counts in
 * braces, parentheses around the part that is secret, and a final `!` for "no letter or digit follows".
 */
export function readShape(source: string, anyCase = false): Shape {
  const reader = { source: source.replace(/!$/, ''), at: 0 }
  const steps: ShapeStep[] = []
  let secret: [number, number] = [0, -1]
  while (reader.at < reader.source.length) {
    const sign = reader.source.charAt(reader.at)
    if (sign === '(') secret = [steps.length, -1]
    if (sign === ')') secret = [secret[0], steps.length]
    if (sign === '(' || sign === ')') {
      reader.at += 1
      continue
    }
    const of = readClass(reader, anyCase)
    const [min, max] = readCount(reader)
    steps.push({ of, min, max })
  }
  const to = secret[1] < 0 ? steps.length : secret[1]
  const closed = source.endsWith('!')
  const more = closed || to < steps.length ? 0 : limitLast(steps)
  return { steps, secret: [secret[0], to], closed, more }
}

/**
 * Number of characters beyond the minimum that decide whether a match is a secret. Without this limit, a text with many
 * beginnings would be read to its far end for each of them.
 */
const decidingLength = 32

function limitLast(steps: ShapeStep[]): number {
  const last = steps.at(-1)
  if (last === undefined || last.max <= last.min + decidingLength) return 0
  const max = last.min + decidingLength
  steps.splice(-1, 1, { ...last, max })
  return last.max - max
}

function readClass(reader: SourceCursor, anyCase: boolean): CharacterClass {
  const { source, at } = reader
  const end = source.charAt(at) === '[' ? source.indexOf(']', at) + 1 : at + (source.charAt(at) === '\\' ? 2 : 1)
  reader.at = end
  return characterClass(source.slice(at, end), anyCase)
}

/** Returns the literal text that a shape begins with; lower-cased where case does not matter. */
export function prefixOf(source: string, anyCase = false): string {
  const prefix = source.replace(/(?:.\{|[[\\(!]).*$/s, '')
  return anyCase ? prefix.toLowerCase() : prefix
}

function readCount(reader: SourceCursor): [min: number, max: number] {
  const found = /^\{(\d+)(,(\d+))?\}/.exec(reader.source.slice(reader.at))
  if (found === null) return [1, 1]
  reader.at += found[0].length
  const min = Number(found[1])
  return [min, found[3] === undefined ? min : Number(found[3])]
}

/** Matches a shape at `from`, where its prefix begins. `whole` means that nothing follows the text. */
export function matchShape(shape: Shape, text: string, from: number, whole: boolean): ShapeMatch {
  const { steps, secret, closed } = shape
  let at = from
  let start = from
  let end = from
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]
    if (step === undefined) break
    if (index === secret[0]) start = at
    const first = at
    at = runEnd(step, text, first)
    if (at === text.length && at < first + step.max && !whole) return 'more'
    if (at - first < step.min) return 'no'
    if (index + 1 === secret[1]) end = at
  }
  if (!closed) return { start, end }
  if (at === text.length && !whole) return 'more'
  return at < text.length && isWordCode(text.charCodeAt(at)) ? 'no' : { start, end }
}

/** Returns the end of a match with all characters of its last step; 'more' where the text ends first. */
export function fullEnd({ steps, more }: Shape, text: string, end: number, whole: boolean): number | 'more' {
  const last = steps.at(-1)
  if (last === undefined || more === 0) return end
  const until = runEnd({ ...last, max: more }, text, end)
  return until === text.length && until < end + more && !whole ? 'more' : until
}

function runEnd({ of: { table, others }, max }: ShapeStep, text: string, from: number): number {
  const until = Math.min(from + max, text.length)
  for (let at = from; at < until; at++) {
    const code = text.charCodeAt(at)
    if (code < 256 ? table[code] !== 1 : !others) return at
  }
  return until
}

/** Tells whether a code stands for an ASCII letter or digit. */
export function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

interface CharacterClass {
  /** Membership of the first 256 characters: 1 for each member. */
  readonly table: Uint8Array
  /** True when all other characters are members. */
  readonly others: boolean
}

/** Classes by source: many shapes share few classes. */
const made = new Map<string, CharacterClass>()

/** Reads a class as regular expressions write it: a character, an escaped one, `\s`, or a list in brackets. */
function characterClass(source: string, anyCase: boolean): CharacterClass {
  const name = `${anyCase} ${source}`
  const known = made.get(name) ?? makeClass(source, anyCase)
  made.set(name, known)
  return known
}

function makeClass(source: string, anyCase: boolean): CharacterClass {
  const isList = source.startsWith('[')
  const leavesOut = source.startsWith('[^')
  const table = new Uint8Array(256).fill(leavesOut ? 1 : 0)
  for (const code of listed(isList ? source.slice(leavesOut ? 2 : 1, -1) : source)) {
    table[code] = leavesOut ? 0 : 1
    if (anyCase) table[otherCase(code)] = leavesOut ? 0 : 1
  }
  // Lists name ASCII characters only, so a negated one contains all others.
  return { table, others: leavesOut }
}

const spaces = [9, 10, 11, 12, 13, 32]

function listed(list: string): number[] {
  const codes: number[] = []
  for (let at = 0; at < list.length; at++) {
    const isEscaped = list.charAt(at) === '\\'
    if (isEscaped) at += 1
    if (isEscaped && list.charAt(at) === 's') {
      for (const space of spaces) codes.push(space)
      continue
    }
    const code = list.charCodeAt(at)
    const isRange = list.charAt(at + 1) === '-' && at + 2 < list.length
    const last = isRange ? list.charCodeAt(at + 2) : code
    if (isRange) at += 2
    for (let each = code; each <= last; each++) codes.push(each)
  }
  return codes
}

function otherCase(code: number): number {
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return isLetter ? code ^ 32 : code
}
