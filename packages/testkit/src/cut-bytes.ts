/** Cuts the bytes before each offset. Offsets may be unordered, repeated or out of range. */
export function cutBytes(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const inside = offsets.filter((offset) => offset > 0 && offset < bytes.length)
  const edges = [0, ...new Set(inside.toSorted((a, b) => a - b)), bytes.length]
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
}

/** Returns the offsets at which `cutBytes` yields one piece per byte. */
export function everyOffset(bytes: Uint8Array): number[] {
  return Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1)
}
