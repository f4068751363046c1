import type { BytePiece } from './unseen.ts'

/** Mask of a trigram: each character shifts the ones before it by six bits, and 18 bits remain of three. */
const mask = 0x3ffff

export const trigramCount = mask + 1

/** Text to scan, or bytes that are read as one character each. */
export interface Haystack {
  readonly length: number
  /** Returns the next index where a marked trigram ends or an unseen sequence may begin; -1 without one. */
  next(from: number): number
  /** Tells whether a sequence that readers cannot see begins at an index. */
  hides(at: number): boolean
  trigramAt(end: number): number
  /** Returns the code of the character at an index, or its low byte. */
  codeAt(at: number): number
  slice(from: number, to: number): string
  text(): string
}

export function trigramOf(first: number, second: number, third: number): number {
  return (((first & 255) << 12) ^ ((second & 255) << 6) ^ (third & 255)) & mask
}

/** Tables of the places where a scan stops. */
export interface StopTables {
  /** Trigrams: 1 for each that a pattern has. */
  readonly marked: Uint8Array
  /** Characters: 1 for each invisible character, and for each half of one. */
  readonly unseen: Uint8Array
}

/** Creates a haystack of text. Trigrams use the low byte of a character, which is enough: marked ones are ASCII. */
export function inText(text: string, { marked, unseen }: StopTables): Haystack {
  const trigramAt = (end: number) => trigramOf(text.charCodeAt(end - 2), text.charCodeAt(end - 1), text.charCodeAt(end))
  return {
    length: text.length,
    next(from) {
      let trigram = trigramAt(from - 1)
      for (let at = from; at < text.length; at++) {
        const code = text.charCodeAt(at)
        trigram = ((trigram << 6) ^ (code & 255)) & mask
        if (marked[trigram] === 1 || unseen[code] === 1) return at
      }
      return -1
    },
    hides: (at) => unseen[text.charCodeAt(at)] === 1,
    trigramAt,
    codeAt: (at) => text.charCodeAt(at),
    slice: (from, to) => text.slice(from, to),
    text: () => text,
  }
}

export interface ByteText extends Pick<BytePiece, 'bytes' | 'decode'> {
  /** Text before the bytes. */
  readonly before: string
}

/** Creates a haystack of bytes. They become text only where something is found in them. */
export function inBytes({ before, bytes, decode }: ByteText, tables: StopTables): Haystack {
  const { marked, unseen } = tables
  const shift = before.length
  const length = shift + bytes.length
  const byteAt = (at: number) => (at < shift ? before.charCodeAt(at) & 255 : (bytes[at - shift] ?? 0))
  const trigramAt = (end: number) => trigramOf(byteAt(end - 2), byteAt(end - 1), byteAt(end))
  let whole: string | null = null
  return {
    length,
    next(from) {
      let trigram = trigramAt(from - 1)
      let at = from
      for (; at < shift; at++) {
        const byte = byteAt(at)
        trigram = ((trigram << 6) ^ byte) & mask
        if (marked[trigram] === 1 || unseen[byte] === 1) return at
      }
      const found = nextInBytes(bytes, tables, { at: at - shift, trigram })
      return found < 0 ? found : found + shift
    },
    hides: (at) => unseen[byteAt(at)] === 1,
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

/** Finds the next place in bytes where a scan stops. Over one type only: a scan spends most of its time here. */
function nextInBytes(
  bytes: Uint8Array,
  { marked, unseen }: StopTables,
  { at, trigram }: { readonly at: number; readonly trigram: number },
): number {
  let current = trigram
  for (let index = at; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    current = ((current << 6) ^ byte) & mask
    if (marked[current] === 1 || unseen[byte] === 1) return index
  }
  return -1
}
