/** First bytes, in latin-1, of common file formats. */
const signatures: ReadonlyArray<readonly [opening: string, kind: string]> = [
  ['\x89PNG\r\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive (or a document made of one)'],
  ['\x1f\x8b', 'gzip data'],
  ['\x28\xb5\x2f\xfd', 'zstd data'],
  ['\xfd7zXZ', 'xz data'],
  ['BZh', 'bzip2 data'],
  ['\x7fELF', 'an ELF program or library'],
  ['\xcf\xfa\xed\xfe', 'a Mach-O program or library'],
  ['\0asm', 'a WebAssembly module'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['\xff\xfe', 'UTF-16 text'],
  ['\xfe\xff', 'UTF-16 text'],
]

export const sniffBytes = 8192

/** Names the binary format of a file from its first `sniffBytes` bytes; null when they may be text. */
export function binaryKind(opening: Uint8Array): string | null {
  const head = Buffer.from(opening.subarray(0, 16)).toString('latin1')
  const known = signatures.find(([signature]) => head.startsWith(signature))
  if (known !== undefined && !looksLikeText(known[0], opening)) return known[1]
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'a WebP image'
  return opening.subarray(0, sniffBytes).includes(0) ? 'binary data' : null
}

/** Returns true for a printable signature such as `GIF8` without any byte that text cannot contain. */
function looksLikeText(signature: string, opening: Uint8Array): boolean {
  if (signature === '%PDF-' || /[^\x20-\x7e]/.test(signature)) return false
  return !opening.subarray(0, sniffBytes).some((byte) => byte < 9 || byte >= 0x80)
}
