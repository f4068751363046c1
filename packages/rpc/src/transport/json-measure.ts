export const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Returns whether arrays and objects nest deeper than `limit`. Iterative, and safe on text that is not JSON. Length
 * and a count of brackets with `indexOf` settle most texts, which is cheaper than a scan of each character.
 */
export function nestsDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit || !hasMoreThan(text, ['[', '{'], limit)) return false
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (isOpener(code)) {
      depth += 1
      if (depth > limit) return true
    } else if (isCloser(code)) depth -= 1
  }
  return false
}

/**
 * Returns whether the text holds more values than `limit`; members of objects and elements of arrays count. Values of
 * a few bytes cost far more to parse than a long string: 31 MiB of empty objects take 1 GiB and minutes.
 */
export function holdsMoreValuesThan(text: string, limit: number): boolean {
  if (text.length <= limit || !hasMoreThan(text, [',', '[', '{'], limit - 1)) return false
  let count = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma || isOpener(code)) {
      count += 1
      if (count > limit) return true
    }
  }
  return false
}

/** Returns the index of the closing quote of the string that opens at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += 1
    else if (code === quote) return at
  }
  return text.length
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
