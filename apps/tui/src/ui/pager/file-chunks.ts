import type { FileChunk } from '../../view/pager/entry.ts'

/** Parts of a side file that are in memory, by number. */
export interface FileChunks {
  readonly totalBytes: number
  readonly chunks: ReadonlyMap<number, FileChunk>
}

const chunkBytes = 64 * 1024
/** Bytes after a chunk in which the end of its last line is looked for. */
const overlapBytes = 8 * 1024
/** Chunks in memory at most. */
const keptChunks = 32

export function chunkCount(totalBytes: number): number {
  return Math.ceil(totalBytes / chunkBytes)
}

/** Returns the bytes to read for the text of a chunk. */
export function chunkRange(index: number): { readonly offset: number; readonly limit: number } {
  return { offset: index * chunkBytes, limit: chunkBytes + overlapBytes }
}

/**
 * Returns the bytes of whole lines of a chunk from those of its range. A chunk begins after the first line end in its first
 * bytes, and the one before ends there: both find it in the same bytes. Longer lines are cut between two characters.
 */
export function wholeLines(bytes: Uint8Array, index: number): Uint8Array {
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

/** Adds the text of a chunk and gives up those farthest from it. */
export function withChunk(file: FileChunks, index: number, chunk: FileChunk): FileChunks {
  const chunks = new Map(file.chunks).set(index, chunk)
  const farthest = [...chunks.keys()].toSorted((one, other) => Math.abs(other - index) - Math.abs(one - index))
  for (const far of farthest.slice(0, Math.max(0, chunks.size - keptChunks))) chunks.delete(far)
  return { ...file, chunks }
}
