import type { ImageLimits } from '@parley/models'
import { imageEnd, imageTypeOf } from './image-form.ts'

/** Tests if bytes are one image: nothing of it is cut off, and nothing follows it. */
export function isWholeImage(bytes: Uint8Array): boolean {
  return imageEnd(bytes) === bytes.length
}

interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Returns the pixels of an image, from its header; null where the header does not say them. */
export function imageSizeOf(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (imageTypeOf(bytes)) {
    case 'image/png':
      return bytes.length < 24 ? null : { width: view.getUint32(16), height: view.getUint32(20) }
    case 'image/gif':
      return bytes.length < 10 ? null : { width: view.getUint16(6, true), height: view.getUint16(8, true) }
    case 'image/jpeg':
      return jpegSize(view)
    case 'image/webp':
      return webpSize(view)
    default:
      return null
  }
}

/** Reads the frame header of a JPEG, behind the segments that come before it. */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; at + 9 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
  }
  return null
}

function webpSize(view: DataView): ImageSize | null {
  if (view.byteLength < 30) return null
  const form = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)))
  if (form === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (form === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  const side = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1
  return form === 'VP8X' ? { width: side(24), height: side(27) } : null
}

/**
 * Returns a sentence when an image is larger than an API takes, or cut off, which every API rejects in each later request;
 * null for any other. `name` begins the sentence.
 */
export function imageProblem(name: string, bytes: Uint8Array, limits: ImageLimits): string | null {
  const { api, maxBytes, maxPixels } = limits
  if (bytes.length > maxBytes)
    return `${name} has more than ${mebibytes(maxBytes)} MiB, the most that ${api} takes of an image. Make it smaller first.`
  if (imageTypeOf(bytes) !== null && imageEnd(bytes) === null)
    return `${name} is cut off or damaged: it begins as a ${kindOf(bytes)} image, and its end is missing. Make or fetch it anew.`
  const size = maxPixels === null ? null : imageSizeOf(bytes)
  if (size === null || maxPixels === null || Math.max(size.width, size.height) <= maxPixels) return null
  return `${name} has ${size.width} × ${size.height} pixels; ${api} takes up to ${maxPixels} on a side. Make it smaller first.`
}

/** Returns the kind of an image as people write it. */
export function kindOf(bytes: Uint8Array): string {
  return (imageTypeOf(bytes) ?? '').replace('image/', '').toUpperCase()
}

function mebibytes(bytes: number): string {
  return (bytes / (1 << 20)).toFixed(2).replace(/\.?0+$/, '')
}
