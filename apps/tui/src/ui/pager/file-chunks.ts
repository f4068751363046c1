import type { FileChunk } from '../../view/pager/entry.ts'

/** Parts of a side file that are in memory, by number. */
export interface FileChunks {
  readonly totalBytes: number
  readonly chunks: ReadonlyMap<number, FileChunk>
}

const chunkBytes = 64 * 1024
/** Bytes after a chunk that may have the end of its last line. */
const overlapBytes = 8 * 1024
/** Chunks in memory at most. */
const keptChunks = 32

export function chunkCount(totalBytes: number): number {
  return Math.ceil(totalBytes / chunkBytes)
}

/** Chunks read at once while a file is searched: with what follows them, less than the server sends in one reply. */
export const searchedChunks = 15

/** Consecutive chunks of a file. */
export interface ChunkRun {
  readonly first: number
  readonly count: number
}

/** Returns the bytes to read for the text of the chunks. */
export function chunkRange({ first, count }: ChunkRun): { readonly offset: number; readonly limit: number } {
  return { offset: first * chunkBytes, limit: count * chunkBytes + overlapBytes }
}

/** Returns the bytes of each chunk's whole lines from the bytes of its range; empty for chunks beyond the end. */
export function cutChunks(bytes: Uint8Array, { first, count }: ChunkRun): readonly Uint8Array[] {
  const cut = Math.min(count, Math.max(1, chunkCount(bytes.length)))
  return Array.from({ length: cut }, (_, index) =>
    wholeLines(bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes + overlapBytes), first + index),
  )
}

/**
 * Returns the whole lines of a chunk from the bytes of its range. A chunk begins after the first line end in its range,
 * and the chunk before it ends at the same place. A line longer than the overlap is cut between two characters.
 */
function wholeLines(bytes: Uint8Array, index: number): Uint8Array {
  const start = index === 0 ? 0 : boundary(bytes, 0)
  const end = bytes.length <= chunkBytes ? bytes.length : boundary(bytes, chunkBytes)
  return bytes.subarray(start, end)
}

const lineEnd = 0x0a

function boundary(bytes: Uint8Array, at: number): number {
  const found = bytes.subarray(at, at + overlapBytes).indexOf(lineEnd)
  if (found !== -1) return at + found + 1
  let start = at
  while (start < bytes.length && start < at + 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return start
}

/** Adds the texts of chunks and drops the farthest chunks. */
export function withChunks(file: FileChunks, first: number, texts: readonly string[]): FileChunks {
  const chunks = new Map<number, FileChunk>(file.chunks)
  for (const [index, text] of texts.entries()) chunks.set(first + index, { text })
  const middle = first + (texts.length - 1) / 2
  const farthest = [...chunks.keys()].toSorted((one, other) => Math.abs(other - middle) - Math.abs(one - middle))
  for (const far of farthest.slice(0, Math.max(0, chunks.size - keptChunks))) chunks.delete(far)
  return { ...file, chunks }
}
