export const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

interface JsonLimits {
  readonly maxDepth: number
  readonly maxValues: number
}

/**
 * Returns which limit a text exceeds first: the depth of arrays and objects, or the number of values. Iterative, and
 * safe on text that is not JSON.
 */
export function excessOf(text: string, { maxDepth, maxValues }: JsonLimits): 'tooDeep' | 'tooManyValues' | null {
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
export function endOfString(text: string, start: number): number {
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

export function isOpener(code: number): boolean {
  return code === openBracket || code === openBrace
}

export function isCloser(code: number): boolean {
  return code === closeBracket || code === closeBrace
}
