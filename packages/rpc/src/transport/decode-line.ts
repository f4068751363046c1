import { endOfString, excessOf, isCloser, isOpener, quote } from './json-measure.ts'
import { type Incoming, type TransportLimits, unreadable } from './transport.ts'

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
