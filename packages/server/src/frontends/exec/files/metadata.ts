import { constants, type Dirent } from 'node:fs'
import { access, lstat, readdir, readlink, stat } from 'node:fs/promises'
import type { ExecResultOf } from '@parley/protocol/exec'
import { entriesOf } from '@parley/workspace'
import type { Reach } from './reach.ts'

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

export async function readFolder({ path, exact }: Reach): Promise<ExecResultOf<'fs/readDirectory'>> {
  const found = exact ? await exactly(path) : await readdir(path, { withFileTypes: true })
  const entries = found.map((entry) => ({
    fileName: entry.name,
    isDirectory: entry.isDirectory(),
    isFile: entry.isFile(),
    isSymlink: entry.isSymbolicLink(),
  }))
  return { entries: entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)) }
}

async function exactly(path: string): Promise<Dirent[]> {
  const entries: Dirent[] = []
  for await (const entry of entriesOf(path)) entries.push(entry)
  return entries
}
