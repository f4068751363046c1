import type { ImagePart } from './port.ts'

/** An image as both wires take it: within the request. */
export function dataUrl({ mediaType, base64 }: ImagePart): string {
  return `data:${mediaType};base64,${base64}`
}
