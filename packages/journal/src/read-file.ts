import type { Files, OpenFile } from './files.ts'
import { hasCode } from './storage-error.ts'

/** The bytes of a small file, or of a part of one; null when there is none. Fewer than asked for at its end. */
export function readFile(
  files: Files,
  path: string,
  range: { readonly offset?: number; readonly length?: number } = {},
): Buffer | null {
  const file = openExisting(files, path)
  if (file === null) return null
  try {
    const { offset = 0 } = range
    const rest = Math.max(0, files.stat(file).sizeBytes - offset)
    return readSpan(files, file, { offset, length: Math.min(range.length ?? rest, rest) })
  } finally {
    files.close(file)
  }
}

export function readSpan(files: Files, file: OpenFile, span: { offset: number; length: number }): Buffer {
  const bytes = Buffer.allocUnsafe(span.length)
  let filled = 0
  while (filled < span.length) {
    const count = files.read(file, bytes.subarray(filled), span.offset + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

export function openExisting(files: Files, path: string): OpenFile | null {
  try {
    return files.open(path, 'read')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}
