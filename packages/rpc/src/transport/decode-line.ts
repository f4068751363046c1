import { type Incoming, type TransportLimits, unreadable } from './transport.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

type DecodeLimits = Pick<TransportLimits, 'maxDepth' | 'maxValues'>

/**
 * Parses one JSON text into an incoming message. Rejects a repeated top-level id as ambiguous. `JSON.parse` makes
 * `__proto__` an own property, so no prototype changes.
 */
export function decodeLine(text: string, limits: DecodeLimits): Incoming {
  const excess = excessOf(text, limits)
  if (excess !== null) return unreadable(excess)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The error is dropped because its message quotes the text.
    return unreadable('notJson')
  }
  if (hasId(value) && repeatsTopLevelId(text)) return unreadable('repeatedId')
  return { kind: 'message', value }
}

/** Spares the scan for messages without an id. */
function hasId(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'id')
}

/** Returns whether a valid JSON object repeats the key `id` at its top level, escaped spellings included. */
export function repeatsTopLevelId(text: string): boolean {
  return mayRepeatId(text) && countTopLevelIds(text) > 1
}

function mayRepeatId(text: string): boolean {
  const first = text.indexOf('"id"')
  const repeated = first >= 0 && text.indexOf('"id"', first + 1) >= 0
  return repeated || text.includes('\\u0069') || text.includes('\\u0064')
}

function countTopLevelIds(text: string): number {
  let count = 0
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (depth === 1 && isKeyEndingAt(text, end) && JSON.parse(text.slice(at, end + 1)) === 'id') count += 1
      at = end
    } else if (isOpener(code)) depth += 1
    else if (isCloser(code)) depth -= 1
  }
  return count
}

/** Returns whether the string that ends at `end` is a key: in valid JSON only a key precedes a colon. */
function isKeyEndingAt(text: string, end: number): boolean {
  let at = end + 1
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1
  return text[at] === ':'
}

/** Returns which limit a text exceeds first: its depth, or its number of values. Safe on text that is not JSON. */
export function excessOf(text: string, { maxDepth, maxValues }: DecodeLimits): 'tooDeep' | 'tooManyValues' | null {
  // Values of a few bytes cost far more to parse than a long string: 31 MiB of empty objects take 1 GiB and minutes. A
  // count with `indexOf` settles most texts, which is cheaper than a scan.
  const mayBeDeep = text.length > maxDepth && hasMoreThan(text, ['[', '{'], maxDepth)
  const mayBeMany = text.length > maxValues && hasMoreThan(text, [',', '[', '{'], maxValues - 1)
  if (!mayBeDeep && !mayBeMany) return null
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (isOpener(code)) {
      depth += 1
      values += 1
      if (depth > maxDepth) return 'tooDeep'
    } else if (isCloser(code)) depth -= 1
    else if (code === comma) values += 1
    if (values > maxValues) return 'tooManyValues'
  }
  return null
}

/** Returns the index of the closing quote of the string that opens at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1))
    if (!isEscaped(text, at)) return at
  return text.length
}

/** Returns whether an odd number of backslashes stands before a quote. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before -= 1
  return (at - before) % 2 === 0
}

function hasMoreThan(text: string, characters: readonly string[], limit: number): boolean {
  let count = 0
  for (const character of characters) {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      count += 1
      if (count > limit) return true
    }
  }
  return false
}

function isOpener(code: number): boolean {
  return code === openBracket || code === openBrace
}

function isCloser(code: number): boolean {
  return code === closeBracket || code === closeBrace
}
