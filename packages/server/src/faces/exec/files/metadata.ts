import { constants } from 'node:fs'
import { access, lstat, readdir, readlink, rm, rmdir, stat, unlink } from 'node:fs/promises'
import type { ExecResultOf } from '@parley/protocol/exec'
import { isMissing } from '../../../lookup/system-error.ts'

export async function readMetadata(path: string): Promise<ExecResultOf<'fs/getMetadata'>> {
  const own = await lstat(path)
  const isSymlink = own.isSymbolicLink()
  const found = isSymlink ? await stat(path).catch(() => own) : own
  return {
    isDirectory: found.isDirectory(),
    isFile: found.isFile(),
    isSymlink,
    size: found.size,
    linkTarget: isSymlink ? await readlink(path) : null,
    executable: await access(path, constants.X_OK).then(
      () => true,
      () => false,
    ),
    mode: found.mode & 0o7777,
    createdAtMs: Math.round(found.birthtimeMs),
    modifiedAtMs: Math.round(found.mtimeMs),
  }
}

export async function readFolder(path: string): Promise<ExecResultOf<'fs/readDirectory'>> {
  const found = await readdir(path, { withFileTypes: true })
  const entries = found.map((entry) => ({
    fileName: entry.name,
    isDirectory: entry.isDirectory(),
    isFile: entry.isFile(),
    isSymlink: entry.isSymbolicLink(),
  }))
  return { entries: entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)) }
}

export interface Removal {
  readonly recursive: boolean
  readonly force: boolean
}

/** A link itself, never what it leads to. */
export async function removeEntry(path: string, { recursive, force }: Removal): Promise<void> {
  try {
    const isFolder = (await lstat(path)).isDirectory()
    if (isFolder && recursive) await rm(path, { recursive: true })
    else if (isFolder) await rmdir(path)
    else await unlink(path)
  } catch (error) {
    if (!force || !isMissing(error)) throw error
  }
}
