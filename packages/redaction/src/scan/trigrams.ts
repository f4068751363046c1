/** Three characters in 18 bits: six more of each that came before. */
const mask = 0x3ffff

export const trigramCount = mask + 1

/** What is looked through: text, or bytes with as many characters. */
export interface Haystack {
  readonly length: number
  /** The end (its last character) of the first marked trigram that ends at `from` or later; -1 when there is none. */
  next(from: number): number
  /** The trigram that ends here. */
  trigramAt(end: number): number
  /** The character here, or its low byte. */
  codeAt(at: number): number
  slice(from: number, to: number): string
  text(): string
}

export function trigramOf(first: number, second: number, third: number): number {
  return (((first & 255) << 12) ^ ((second & 255) << 6) ^ (third & 255)) & mask
}

/** Marked trigrams of a text. Characters are seen by their low byte: what is marked is ASCII, so none is missed. */
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
  /** Text that precedes the bytes. */
  readonly before: string
  readonly bytes: Uint8Array
  /** One character a byte. */
  decode(from: number, to: number): string
}

/** The same of bytes, which are made a text only where something is found in them. */
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

/** By itself and over one kind of thing, since most of the time goes here. */
function nextInBytes(bytes: Uint8Array, marked: Uint8Array, { at, trigram }: { at: number; trigram: number }): number {
  let current = trigram
  for (let index = at; index < bytes.length; index++) {
    current = ((current << 6) ^ (bytes[index] ?? 0)) & mask
    if (marked[current] === 1) return index
  }
  return -1
}
