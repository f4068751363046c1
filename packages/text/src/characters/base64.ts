const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Encodes bytes in base64 with padding. Written out, since pure code has neither Buffer nor `btoa`. */
export function base64Of(bytes: readonly number[]): string {
  let encoded = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]]
    const group = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    encoded += digit(group >> 18) + digit(group >> 12)
    encoded += (second === undefined ? '=' : digit(group >> 6)) + (third === undefined ? '=' : digit(group))
  }
  return encoded
}

function digit(value: number): string {
  return digits.charAt(value & 63)
}

export function utf8Bytes(text: string): number[] {
  const bytes: number[] = []
  for (const character of text) for (const byte of bytesOf(character.codePointAt(0) ?? 0)) bytes.push(byte)
  return bytes
}

/** Returns the UTF-8 bytes of a character. A lone surrogate becomes U+FFFD, as in every encoder. */
function bytesOf(codePoint: number): number[] {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return [0xef, 0xbf, 0xbd]
  if (codePoint < 0x80) return [codePoint]
  if (codePoint < 0x800) return [0xc0 | (codePoint >> 6), trail(codePoint)]
  if (codePoint < 0x10000) return [0xe0 | (codePoint >> 12), trail(codePoint >> 6), trail(codePoint)]
  return [0xf0 | (codePoint >> 18), trail(codePoint >> 12), trail(codePoint >> 6), trail(codePoint)]
}

function trail(bits: number): number {
  return 0x80 | (bits & 63)
}
