/** Returns the length of a text in bytes of UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) bytes += bytesOf(character)
  return bytes
}

/** Returns the longest beginning of a text that fits into the limit, without cutting a character. */
export function firstBytes(text: string, limitBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += bytesOf(character)
    if (bytes > limitBytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Returns the longest end of a text that fits into the limit, without cutting a character. */
export function lastBytes(text: string, limitBytes: number): string {
  let bytes = 0
  let start = text.length
  while (start > 0) {
    const width = isLowSurrogate(text, start - 1) && isHighSurrogate(text, start - 2) ? 2 : 1
    bytes += bytesOf(text.slice(start - width, start))
    if (bytes > limitBytes) break
    start -= width
  }
  return text.slice(start)
}

function bytesOf(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}
