import { createFile, readSpan, writeAll } from '../disk/file-io.ts'
import { type Files, hasCode, type OpenFile, quietly } from '../disk/files.ts'
import { tornPath } from '../disk/session-paths.ts'

const CHUNK_BYTES = 256 * 1024

/** Copies a torn piece to the first free `<id>.torn-<n>`. Returns null on a disk error, as the log still has it. */
export function keepTornPiece(
  files: Files,
  log: OpenFile,
  span: { readonly byteOffset: number; readonly endOffset: number },
): string | null {
  return quietly(() => {
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
  })
}

function createNumbered(files: Files, logPath: string, n: number): OpenFile {
  try {
    return createFile(files, tornPath(logPath, n))
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return createNumbered(files, logPath, n + 1)
    throw error
  }
}
