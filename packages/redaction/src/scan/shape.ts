import { type CharacterClass, characterClass } from './character-class.ts'

/** Whether something of a shape begins at a place: not, where it ends, or that the text ends before that is known. */
export type ShapeMatch = { readonly start: number; readonly end: number } | 'no' | 'more'

/** A step of a shape: from `min` to `max` characters of a class, taken greedily and never given back. */
interface Step {
  readonly of: CharacterClass
  readonly min: number
  readonly max: number
}

/** What a key looks like, ready to be matched. */
export interface Shape {
  readonly steps: readonly Step[]
  /** Steps of the secret itself: the first, and the one after the last. */
  readonly secret: readonly [from: number, to: number]
  /** No letter or digit may follow. */
  readonly closed: boolean
  /** How many more characters of its last step may follow; they are looked at only once it is known to be a secret. */
  readonly more: number
}

interface Reader {
  readonly source: string
  at: number
}

/**
 * Reads a shape written as a regular expression without choices or backtracking: literals, `[classes]`, `\s`, counts
 * in braces, brackets around the part that is secret, and a final `!` for "no letter or digit follows".
 */
export function readShape(source: string, anyCase = false): Shape {
  const reader = { source: source.replace(/!$/, ''), at: 0 }
  const steps: Step[] = []
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
  const more = closed || to < steps.length ? 0 : cutLast(steps)
  return { steps, secret: [secret[0], to], closed, more }
}

/**
 * A secret is known by so many characters beyond the fewest it may have. Without a cut, text that is full of beginnings
 * would be looked through again to the far end of each.
 */
const enoughMore = 32

function cutLast(steps: Step[]): number {
  const last = steps.at(-1)
  if (last === undefined || last.max <= last.min + enoughMore) return 0
  const max = last.min + enoughMore
  steps.splice(-1, 1, { ...last, max })
  return last.max - max
}

function readClass(reader: Reader, anyCase: boolean): CharacterClass {
  const { source, at } = reader
  const end = source.charAt(at) === '[' ? source.indexOf(']', at) + 1 : at + (source.charAt(at) === '\\' ? 2 : 1)
  reader.at = end
  return characterClass(source.slice(at, end), anyCase)
}

/** What all of a shape begin with, letter for letter; lower-cased where case does not matter. */
export function prefixOf(source: string, anyCase = false): string {
  const prefix = source.replace(/(?:.\{|[[\\(!]).*$/s, '')
  return anyCase ? prefix.toLowerCase() : prefix
}

function readCount(reader: Reader): [min: number, max: number] {
  const found = /^\{(\d+)(,(\d+))?\}/.exec(reader.source.slice(reader.at))
  if (found === null) return [1, 1]
  reader.at += found[0].length
  const min = Number(found[1])
  return [min, found[3] === undefined ? min : Number(found[3])]
}

/** Matches from `from`, where the shape's prefix begins. `whole`: nothing follows the text. */
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

/** Where a match really ends; 'more' where the text ends before that is known. */
export function fullEnd({ steps, more }: Shape, text: string, end: number, whole: boolean): number | 'more' {
  const last = steps.at(-1)
  if (last === undefined || more === 0) return end
  const until = runEnd({ ...last, max: more }, text, end)
  return until === text.length && until < end + more && !whole ? 'more' : until
}

function runEnd({ of: { table, others }, max }: Step, text: string, from: number): number {
  const until = Math.min(from + max, text.length)
  for (let at = from; at < until; at++) {
    const code = text.charCodeAt(at)
    if (code < 256 ? table[code] !== 1 : !others) return at
  }
  return until
}

/** An ASCII letter or digit. */
export function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}
