const replacement = 0xfffd

/** Bytes of an incomplete character. */
export type PartialBytes = readonly number[]

/** Decodes UTF-8 in chunks; wrong bytes become U+FFFD. Pure folders have no TextDecoder. */
export function decodeUtf8(carried: PartialBytes, chunk: Uint8Array): { text: string; carried: PartialBytes } {
  const bytes = carried.length === 0 ? chunk : Uint8Array.from([...carried, ...chunk])
  let text = ''
  let offset = 0
  while (offset < bytes.length) {
    const { codePoint, length } = decodeAt(bytes, offset)
    if (codePoint === null) return { text, carried: [...bytes.subarray(offset)] }
    text += String.fromCodePoint(codePoint)
    offset += length
  }
  return { text, carried: [] }
}

/** Decodes one character; a null code point means that the bytes end within it. */
function decodeAt(bytes: Uint8Array, offset: number): { codePoint: number | null; length: number } {
  const first = bytes[offset] ?? 0
  if (first < 0x80) return { codePoint: first, length: 1 }
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4) return { codePoint: replacement, length: 1 }
  let codePoint = first & (0x7f >> size)
  for (let index = 1; index < size; index++) {
    const byte = bytes[offset + index]
    if (byte === undefined) return { codePoint: null, length: index }
    if (!continues(first, index, byte)) return { codePoint: replacement, length: index }
    codePoint = (codePoint << 6) | (byte & 0x3f)
  }
  return { codePoint, length: size }
}

/**
 * Returns true for a valid continuation byte; the second byte excludes overlong forms, surrogates and values beyond
 * Unicode.
 */
function continues(first: number, index: number, byte: number): boolean {
  if ((byte & 0xc0) !== 0x80) return false
  if (index > 1) return true
  if (first === 0xe0) return byte >= 0xa0
  if (first === 0xed) return byte < 0xa0
  if (first === 0xf0) return byte >= 0x90
  return first !== 0xf4 || byte < 0x90
}
