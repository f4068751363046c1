import { accessSync, constants, type Dirent, type Stats, statSync } from 'node:fs'
import { type FileHandle, lstat, readlink, stat } from 'node:fs/promises'
import { identityOf, listedNames, realPathsAmong } from '@parley/host'
import type { EnvironmentFiles, FoundFile, NamedEntry, OpenedFile } from './environment-files.ts'
import { entriesOf, inFolder, openRealFile } from './open-real-path.ts'
import { realPathOf } from './real-path.ts'

/** Files of this machine. */
export const diskFiles: EnvironmentFiles = {
  countedFileBytes: 64 * 1024 * 1024,
  realPath: (absolute) => realPathOf(absolute),
  // Synchronous: a start looks into a dozen folders, and the turns of threads take ten times as long as the looking.
  realPaths: async (absolute) => realPathsAmong(absolute),
  namesIn: async (folder) => listedNames(folder),
  async look(path) {
    const stats = await stat(path)
    const found = { ...foundFile(stats), state: [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':') }
    const identity = identityOf(path)
    return identity === null ? found : { ...found, identity }
  },
  isProgram: (path) => Promise.resolve(isProgram(path)),
  async list(path, atMost) {
    const entries: NamedEntry[] = []
    for await (const entry of entriesOf(path)) {
      if (entries.length === atMost) return { entries, truncated: true }
      entries.push({ name: entry.name, kind: entryKind(entry) })
    }
    return { entries, truncated: false }
  },
  readLink: (path) => inFolder(path, (name) => readlink(name)),
  async open(realPath) {
    // Opening some devices has effects, such as starting a watchdog.
    const stats = await lstat(realPath)
    if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) return unopened(foundFile(stats))
    const handle = await openRealFile(realPath)
    try {
      return openedFile(handle, await handle.stat())
    } catch (error) {
      await handle.close()
      throw error
    }
  },
}

function unopened(found: FoundFile): OpenedFile {
  return { ...found, read: () => Promise.resolve(new Uint8Array()), [Symbol.asyncDispose]: () => Promise.resolve() }
}

function openedFile(handle: FileHandle, stats: Stats): OpenedFile {
  let buffer = Buffer.alloc(0)
  return {
    ...foundFile(stats),
    async read(position, maxBytes) {
      if (buffer.length < maxBytes) buffer = Buffer.alloc(maxBytes)
      const { bytesRead } = await handle.read(buffer, 0, maxBytes, position)
      return buffer.subarray(0, bytesRead)
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

function foundFile(stats: Stats): FoundFile {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other'
  return { kind, sizeBytes: stats.size }
}

function entryKind(entry: Dirent): NamedEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}

/**
 * Returns whether a file of this machine is a regular file that may be executed.
 *
 * Synchronous: every command checks each folder of the search path, and asynchronous errors for the misses would double
 * the cost of a policy decision.
 */
export function isProgram(path: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
