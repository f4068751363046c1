/** Returns the length of a text in bytes of UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length
  // By its units: to take one character after the other makes a text of each.
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    if (isHighSurrogate(text, at) && isLowSurrogate(text, at + 1)) at++
  }
  return bytes
}

/** Returns the longest beginning of a text that fits into the limit, without cutting a character. */
export function firstBytes(text: string, limitBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += lengthOf(character)
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
    bytes += lengthOf(text.slice(start - width, start))
    if (bytes > limitBytes) break
    start -= width
  }
  return text.slice(start)
}

function lengthOf(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** Yields a text in pieces of at most `length` UTF-16 units, without splitting a surrogate pair. */
export function* piecesOf(text: string, length: number): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = start + length
    const isWhole = end >= text.length || !isHighSurrogate(text, end - 1)
    yield text.slice(start, isWhole ? end : end - 1)
    start = isWhole ? end : end - 1
  }
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** Returns the index of the first byte that begins a character, after the rest of a cut character. */
export function characterStart(bytes: Uint8Array): number {
  return [0, 1, 2, 3].find((at) => !isContinuation(bytes[at])) ?? 0
}

/** Returns the index after the last whole character, before the beginning of a cut character. */
export function characterEnd(bytes: Uint8Array): number {
  const lead = [1, 2, 3, 4].map((back) => bytes.length - back).find((at) => !isContinuation(bytes[at])) ?? 0
  return bytes.length - lead < announcedLength(bytes[lead] ?? 0) ? lead : bytes.length
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80
}

function announcedLength(lead: number): number {
  if (lead < 0xc0) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}
