const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Bytes, each a character, in base64 without padding. Written out here: pure code has neither Buffer nor `btoa`. */
export function base64OfBytes(bytes: string): string {
  let encoded = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const length = Math.min(3, bytes.length - at)
    const [first, second, third] = [0, 1, 2].map((nth) => (nth < length ? bytes.charCodeAt(at + nth) : 0))
    const group = ((first ?? 0) << 16) | ((second ?? 0) << 8) | (third ?? 0)
    for (let nth = 0; nth <= length; nth++) encoded += digits.charAt((group >> (18 - 6 * nth)) & 63)
  }
  return encoded
}
