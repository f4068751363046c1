/** Mask of a trigram: each character shifts the ones before it by six bits, and 18 bits remain of three. */
const mask = 0x3ffff

export const trigramCount = mask + 1

/** Text to scan, or bytes that are read as one character each. */
export interface Haystack {
  readonly length: number
  /** Returns the index of the last character of the first marked trigram that ends at `from` or later, or -1. */
  next(from: number): number
  /** Returns the trigram that ends at an index. */
  trigramAt(end: number): number
  /** Returns the code of the character at an index, or its low byte. */
  codeAt(at: number): number
  slice(from: number, to: number): string
  text(): string
}

export function trigramOf(first: number, second: number, third: number): number {
  return (((first & 255) << 12) ^ ((second & 255) << 6) ^ (third & 255)) & mask
}

/** Creates a haystack of text. Trigrams use the low byte of a character; marked ones are ASCII, so none is missed. */
export function inText(text: string, marked: Uint8Array): Haystack {
  const trigramAt = (end: number) => trigramOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1), text.charCodeAt(end))
  return {
    length: text.length,
    next(from) {
      const start = Math.max(from, 2)
      let trigram = start < text.length ? trigramAt(start - 1) : 0
      for (let at = start; at < text.length; at++) {
        trigram = ((trigram << 6) ^ (text.charCodeAt(at) & 255)) & mask
        if (marked[trigram] === 1) return at
      }
      return -1
    },
    trigramAt,
    codeAt: (at) => text.charCodeAt(at),
    slice: (from, to) => text.slice(from, to),
    text: () => text,
  }
}

export interface ByteText {
  /** Text before the bytes. */
  readonly before: string
  readonly bytes: Uint8Array
  /** Returns bytes as text of one character each. */
  decode(from: number, to: number): string
}

/** Creates a haystack of bytes. They become text only where something is found in them. */
export function inBytes({ before, bytes, decode }: ByteText, marked: Uint8Array): Haystack {
  const shift = before.length
  const length = shift + bytes.length
  const byteAt = (at: number) => (at < shift ? before.charCodeAt(at) & 255 : (bytes[at - shift] ?? 0))
  const trigramAt = (end: number) => trigramOf(byteAt(end - 2), byteAt(end - 1), byteAt(end))
  let whole: string | null = null
  return {
    length,
    next(from) {
      const start = Math.max(from, 2)
      let trigram = start < length ? trigramAt(start - 1) : 0
      let at = start
      for (; at < shift; at++) {
        trigram = ((trigram << 6) ^ byteAt(at)) & mask
        if (marked[trigram] === 1) return at
      }
      const found = nextInBytes(bytes, marked, { at: at - shift, trigram })
      return found < 0 ? found : found + shift
    },
    trigramAt,
    codeAt: byteAt,
    slice: (from, to) =>
      before.slice(from, to) + decode(Math.max(from - shift, 0), Math.max(Math.min(to, length) - shift, 0)),
    text() {
      whole ??= before + decode(0, bytes.length)
      return whole
    },
  }
}

/** Finds a marked trigram in bytes. A function of its own over one type, since a scan spends most of its time here. */
function nextInBytes(bytes: Uint8Array, marked: Uint8Array, { at, trigram }: { at: number; trigram: number }): number {
  let current = trigram
  for (let index = at; index < bytes.length; index++) {
    current = ((current << 6) ^ (bytes[index] ?? 0)) & mask
    if (marked[current] === 1) return index
  }
  return -1
}
