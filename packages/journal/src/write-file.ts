import { randomBytes } from 'node:crypto'
import { FILE_MODE, type Files, type OpenFile } from './files.ts'
import { StorageError } from './storage-error.ts'

/** Goes on after a short write; a failure may leave a part written. */
export function writeAll(files: Files, file: OpenFile, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    const count = files.write(file, bytes.subarray(written))
    if (count === 0) throw new StorageError({ code: 'ENOSPC', operation: 'write', path: file.path })
    written += count
  }
}

/** A new file, 0600 whatever the umask is; EEXIST for anything already there, a planted link included. */
export function createFile(files: Files, path: string): OpenFile {
  const file = files.open(path, 'createNew')
  try {
    files.setMode(file, FILE_MODE)
    return file
  } catch (error) {
    files.close(file)
    removeQuietly(files, path)
    throw error
  }
}

/** A name beside `path` that no reader of the folder takes for a file of parley. */
export function temporaryBeside(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`
}

/** Old or new content, never a mixture. Not synced: for caches and hints. */
export function replaceFile(files: Files, path: string, content: string): void {
  const temporary = temporaryBeside(path)
  const file = createFile(files, temporary)
  try {
    try {
      writeAll(files, file, Buffer.from(content))
    } finally {
      files.close(file)
    }
    files.rename(temporary, path)
  } catch (error) {
    removeQuietly(files, temporary)
    throw error
  }
}

/** For clearing up after a failure that is already being reported. */
export function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path)
  } catch {
    // What stays behind is a stray temporary file, and the first failure says more.
  }
}
