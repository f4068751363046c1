interface ImageForm {
  readonly mediaType: string
  readonly beginning: RegExp
  /** Returns the offset behind the image; null for bytes that end before it does. */
  readonly end: (bytes: Uint8Array, view: DataView) => number | null
}

const forms: readonly ImageForm[] = [
  { mediaType: 'image/png', beginning: /^\x89PNG\r\n\x1a\n/, end: pngEnd },
  { mediaType: 'image/jpeg', beginning: /^\xff\xd8\xff/, end: jpegEnd },
  { mediaType: 'image/gif', beginning: /^GIF8[79]a/, end: gifEnd },
  { mediaType: 'image/webp', beginning: /^RIFF[\s\S]{4}WEBP/, end: webpEnd },
]

const lastChunk = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]

function formOf(bytes: Uint8Array): ImageForm | null {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  return forms.find(({ beginning }) => beginning.test(start)) ?? null
}

/** Returns the media type of an image that models accept, from its first bytes; null for anything else. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return formOf(bytes)?.mediaType ?? null
}

/** Returns the offset behind an image, where its end mark ends; null for one that is cut off, and for no image. */
export function imageEnd(bytes: Uint8Array): number | null {
  return formOf(bytes)?.end(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)) ?? null
}

/** Looks for the last chunk, `IEND`, which is the same in each PNG. */
function pngEnd(bytes: Uint8Array): number | null {
  for (let at = bytes.length - lastChunk.length; at >= 8; at -= 1)
    if (lastChunk.every((byte, index) => bytes[at + index] === byte)) return at + lastChunk.length
  return null
}

/** Follows the segments to the pixels; behind them the last end mark counts, since thumbnails have their own. */
function jpegEnd(bytes: Uint8Array, view: DataView): number | null {
  for (let at = 2; at + 2 <= bytes.length; at += 2 + view.getUint16(at + 2)) {
    // A marker may have more bytes of 0xff before it.
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1
    if (bytes[at] !== 0xff) return null
    if (bytes[at + 1] === 0xda || bytes[at + 1] === 0xd9) return behindEndMark(bytes, at)
    if (at + 4 > bytes.length) return null
  }
  return null
}

function behindEndMark(bytes: Uint8Array, from: number): number | null {
  for (let at = bytes.length - 2; at >= from; at -= 1) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return at + 2
  return null
}

/** Follows the blocks to the trailer; where they have another form, the last byte decides. */
function gifEnd(bytes: Uint8Array): number | null {
  return trailerEnd(bytes) ?? (bytes.at(-1) === 0x3b ? bytes.length : null)
}

function trailerEnd(bytes: Uint8Array): number | null {
  let at = 13 + colorsAt(bytes, 10)
  while (at < bytes.length) {
    if (bytes[at] === 0x3b) return at + 1
    if (bytes[at] === 0x21) at = behindPieces(bytes, at + 2)
    else if (bytes[at] === 0x2c) at = behindPieces(bytes, at + 11 + colorsAt(bytes, at + 9))
    else return null
  }
  return null
}

/** Returns the bytes of the table of colours that these flags announce. */
function colorsAt(bytes: Uint8Array, index: number): number {
  const flags = bytes[index] ?? 0
  return flags >= 0x80 ? 3 << ((flags & 7) + 1) : 0
}

/** Returns the offset behind a list of pieces. Each piece begins with its length, and the last is empty. */
function behindPieces(bytes: Uint8Array, from: number): number {
  let at = from
  while ((bytes[at] ?? 0) > 0) at += 1 + (bytes[at] ?? 0)
  return at + 1
}

/** Follows the chunks to the length that the header says, which may lie in both directions. */
function webpEnd(bytes: Uint8Array, view: DataView): number | null {
  const end = 8 + view.getUint32(4, true)
  if (end > bytes.length) return null
  let hasPixels = false
  for (let at = 12; at + 8 <= end; ) {
    const kind = letters(bytes, at)
    const size = view.getUint32(at + 4, true)
    if (at + 8 + size > end) return null
    hasPixels ||= kind === 'VP8 ' || kind === 'VP8L' || kind === 'ANMF'
    // Chunks have even lengths.
    at += 8 + size + (size % 2)
  }
  return hasPixels ? end : null
}

function letters(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}
