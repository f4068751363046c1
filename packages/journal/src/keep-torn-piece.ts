import type { Files, OpenFile } from './files.ts'
import { readSpan } from './read-file.ts'
import { tornPath } from './session-paths.ts'
import { hasCode, StorageError } from './storage-error.ts'
import { createFile, writeAll } from './write-file.ts'

const CHUNK_BYTES = 256 * 1024

/** Copies the piece to the first free `<id>.torn-<n>`; null when the disk refuses, as the log still has it. */
export function keepTornPiece(
  files: Files,
  log: OpenFile,
  span: { readonly byteOffset: number; readonly endOffset: number },
): string | null {
  try {
    const copy = createNumbered(files, log.path, 1)
    try {
      for (let offset = span.byteOffset; offset < span.endOffset; offset += CHUNK_BYTES) {
        const length = Math.min(CHUNK_BYTES, span.endOffset - offset)
        writeAll(files, copy, readSpan(files, log, { offset, length }))
      }
    } finally {
      files.close(copy)
    }
    return copy.path
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}

function createNumbered(files: Files, logPath: string, n: number): OpenFile {
  try {
    return createFile(files, tornPath(logPath, n))
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return createNumbered(files, logPath, n + 1)
    throw error
  }
}
