import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { namesIn, openUnlocked, timeSlices, withUnlocked } from '@parley/host'
import { orNull } from '@parley/text'
import { contentHash } from '../patch/file-plan.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/** Contents of files by their SHA-256, exact and for their owner alone. They are a cache: the limit of the store ends them. */
export interface ContentStore {
  readonly folder: string
  /** Keeps a content. Returns false when the disk does not take it. */
  keep(hash: string, bytes: Uint8Array): boolean
  /** Tests if a content of this size is kept: a loss of power leaves files that are empty. */
  has(hash: string, sizeBytes: number): boolean
  /** Reads a content; null when it is not kept or damaged. */
  read(hash: string): Uint8Array | null
}

/** Opens the store in a folder, which is made with the first content. */
export function openContentStore(folder: string): ContentStore {
  const folders = new Set<string>()
  const placeOf = (hash: string) => join(folder, hash.slice(0, 2), hash)

  const has = (hash: string, sizeBytes: number) => isThere(placeOf(hash), sizeBytes)

  function makeFolder(hash: string): void {
    const name = hash.slice(0, 2)
    if (folders.has(name)) return
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
    folders.add(name)
  }

  return {
    folder,
    has,
    keep(hash, bytes) {
      if (has(hash, bytes.length)) return true
      try {
        makeFolder(hash)
        writePrivately(placeOf(hash), bytes)
        return true
      } catch {
        return false
      }
    },
    read(hash) {
      const bytes = readOrNull(placeOf(hash))
      if (bytes === null || contentHash(bytes) === hash) return bytes
      // Removed, so that the next use keeps the content anew.
      isRemoved(placeOf(hash))
      return null
    },
  }
}

/** Writes a file for its owner alone under another name, and renames it into its place. */
export function writePrivately(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${randomUUID()}.tmp`
  const descriptor = openUnlocked(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, path)
  } catch (error) {
    unlinkSync(temporary)
    throw error
  }
}

/** Reads a regular file; null for a missing file. */
export function readOrNull(path: string): Buffer | null {
  return orNull(() => withUnlocked(path, O_RDONLY | O_NOFOLLOW, (file) => readAll(file, fstatSync(file).size)))
}

/** Reads up to `sizeBytes` from the start of an open file. */
export function readAll(descriptor: number, sizeBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(sizeBytes)
  let length = 0
  while (length < sizeBytes) {
    const count = readSync(descriptor, buffer, length, sizeBytes - length, length)
    if (count === 0) break
    length += count
  }
  return buffer.subarray(0, length)
}

/** Most bytes of contents that stay after a sweep. */
const maxStoredBytes = 1024 ** 3
const dayMs = 24 * 60 * 60 * 1000
const maxAgeMs = 30 * dayMs

/**
 * Removes contents older than 30 days, and the oldest beyond the limit; at most once a day, in slices. Keeps contents
 * written today, which conversations may rely on. Returns the number of removed files.
 */
export async function sweepStore(
  folder: string,
  { nowMs, maxBytes = maxStoredBytes }: { readonly nowMs: number; readonly maxBytes?: number },
): Promise<number> {
  const marker = join(folder, 'swept')
  const last = lstatSync(marker, { throwIfNoEntry: false })?.mtimeMs
  if (last !== undefined && nowMs - last < dayMs) return 0
  writePrivately(marker, Buffer.from(''))
  const slices = timeSlices()
  const stored: ReturnType<typeof filesIn> = []
  for (const name of namesIn(folder) ?? []) {
    for (const file of filesIn(join(folder, name))) stored.push(file)
    if (slices.isOver()) await slices.next()
  }
  let left = stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  let removed = 0
  for (const { path, sizeBytes, writtenMs } of stored.toSorted((one, other) => one.writtenMs - other.writtenMs)) {
    const ageMs = nowMs - writtenMs
    if (ageMs < dayMs || (ageMs < maxAgeMs && left <= maxBytes)) break
    if (!isRemoved(path)) continue
    left -= sizeBytes
    removed += 1
    if (slices.isOver()) await slices.next()
  }
  return removed
}

function filesIn(folder: string) {
  return (namesIn(folder) ?? []).flatMap((name) => {
    const path = join(folder, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats?.isFile() ? [{ path, sizeBytes: stats.size, writtenMs: stats.mtimeMs }] : []
  })
}

function isRemoved(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch {
    return false
  }
}

function isThere(path: string, sizeBytes: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && stats.size === sizeBytes
}
