import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import {
  FILE_MODE,
  type FileContents,
  type Files,
  FOLDER_MODE,
  type FolderEntries,
  hasCode,
  type OpenFile,
  StorageError,
} from './files.ts'

/** Reads a small file or a range of it. Returns null for a missing file, fewer bytes at its end. */
export function readFile(
  files: FileContents,
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

export function readSpan(files: FileContents, file: OpenFile, span: { offset: number; length: number }): Buffer {
  const bytes = Buffer.allocUnsafe(span.length)
  let filled = 0
  while (filled < span.length) {
    const count = files.read(file, bytes.subarray(filled), span.offset + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}

export function openExisting(files: FileContents, path: string): OpenFile | null {
  try {
    return files.open(path, 'read')
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** Writes all bytes, continuing after a short write. A failure may leave a part written. */
export function writeAll(files: FileContents, file: OpenFile, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    const count = files.write(file, bytes.subarray(written))
    if (count === 0) throw new StorageError({ code: 'ENOSPC', operation: 'write', path: file.path })
    written += count
  }
}

/** Creates a file with mode 0600 whatever the umask is. Throws `EEXIST` for any existing entry, links included. */
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

/** Returns a new name beside `path` that no reader of the folder recognises. */
export function temporaryBeside(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`
}

/** New file that gets its name once it is complete. Disposal removes one without its name. */
export interface UnnamedFile extends Disposable {
  readonly file: OpenFile
  /** Closes the file and puts it in place of the one that has its name. */
  takeName(): void
  /** Closes the file and names it. Throws `EEXIST` where the name is taken. */
  takeFreeName(): void
}

/** Creates a file beside `path`, which is to be its name. */
export function createUnnamed(files: Files, path: string): UnnamedFile {
  const temporary = temporaryBeside(path)
  const file = createFile(files, temporary)
  let isOpen = true
  let isNamed = false

  function close(): void {
    if (!isOpen) return
    isOpen = false
    files.close(file)
  }

  return {
    file,
    takeName() {
      close()
      files.rename(temporary, path)
      isNamed = true
    },
    takeFreeName() {
      close()
      // A rename would replace a file that has come meanwhile.
      files.link(temporary, path)
      files.remove(temporary)
      isNamed = true
    },
    [Symbol.dispose]() {
      if (isNamed) return
      try {
        close()
      } catch {
        // The failure that left the file incomplete says more.
      }
      removeQuietly(files, temporary)
    },
  }
}

/** Replaces a file atomically, without syncing it: for caches and hints. */
export function replaceFile(files: Files, path: string, content: string): void {
  using fresh = createUnnamed(files, path)
  writeAll(files, fresh.file, Buffer.from(content))
  fresh.takeName()
}

/** Replaces a file so that after a loss of power it is there as it was or as it is now. Rejects with `StorageError`. */
export async function replaceSynced(files: Files, path: string, content: string): Promise<void> {
  using fresh = createUnnamed(files, path)
  writeAll(files, fresh.file, Buffer.from(content))
  await files.sync(fresh.file)
  fresh.takeName()
  await files.syncFolder(dirname(path))
}

/** Removes a file, ignoring errors: for clean-up after a failure that is already reported. */
export function removeQuietly(files: FolderEntries, path: string): void {
  try {
    files.remove(path)
  } catch {
    // The first failure says more than a stray temporary file.
  }
}

/** Creates the missing folders of `path` with mode 0700 whatever the umask is. Existing ones stay as they are. */
export function makeFolders(files: FolderEntries, path: string): void {
  if (files.look(path) !== null) return
  const parent = dirname(path)
  if (parent !== path) makeFolders(files, parent)
  try {
    files.makeFolder(path)
  } catch (error) {
    // Another process made it in between.
    if (hasCode(error, 'EEXIST')) return
    throw error
  }
  files.setModeAt(path, FOLDER_MODE)
}

/** Lists the folders to sync for a new file in `path`: itself and its parents up to `root`, innermost first. */
export function foldersUpTo(path: string, root: string): readonly string[] {
  const parent = dirname(path)
  return path === root || parent === path ? [path] : [path, ...foldersUpTo(parent, root)]
}
