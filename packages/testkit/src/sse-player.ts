/** Pieces of the bytes, cut before each offset; order and duplicates of the offsets do not matter. */
export function cutBytes(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const inside = offsets.filter((offset) => offset > 0 && offset < bytes.length)
  const edges = [0, ...new Set(inside.toSorted((a, b) => a - b)), bytes.length]
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end))
}

/** Offsets that leave a piece of every byte: the worst that a network may do. */
export function everyOffset(bytes: Uint8Array): number[] {
  return Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1)
}

export type Playback = {
  readonly offsets?: readonly number[]
  /** Stops after this many bytes and throws, as a reset connection does. */
  readonly resetAfterBytes?: number
  /** Awaited before each piece, so that a test decides when it arrives. */
  readonly beforePiece?: (index: number) => Promise<unknown>
}

/** Plays recorded bytes the way a response body delivers them. */
export async function* playBytes(recorded: string | Uint8Array, playback: Playback = {}): AsyncGenerator<Uint8Array> {
  const all = typeof recorded === 'string' ? new TextEncoder().encode(recorded) : recorded
  const bytes = all.subarray(0, playback.resetAfterBytes ?? all.length)
  for (const [index, piece] of cutBytes(bytes, playback.offsets ?? []).entries()) {
    await playback.beforePiece?.(index)
    if (piece.length > 0) yield piece
  }
  if (playback.resetAfterBytes !== undefined) throw new Error('connection reset by the player')
}
