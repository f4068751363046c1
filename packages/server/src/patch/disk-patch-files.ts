import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, link, lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { assertOpenedAt, descriptorPath, openRealFile } from '../lookup/open-real-file.ts'
import { realPathOf } from '../lookup/real-path.ts'
import { isMissing } from '../lookup/system-error.ts'
import type { FileStat, PatchFiles } from './patch-files.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants
const canNameDescriptors = process.platform === 'linux'

/**
 * The real files. On Linux each operation goes through a descriptor of the folder, opened and then checked to be the
 * one that was meant, so no link put in its place can divert it; elsewhere the check is by path and leaves a gap.
 */
export const diskPatchFiles: PatchFiles = {
  realPath: (absolute) => realPathOf(absolute),
  stat: (path) => nullWhenMissing(inFolder(path, describeFile)),
  readFile: (path) => readRegularFile(path),
  writeTemp: (path, bytes, like) => inFolder(path, (name) => writeNew(name, bytes, like)),
  link: (from, to) => inFolder(from, (source) => inFolder(to, (target) => link(source, target))),
  rename: (from, to) => inFolder(from, (source) => inFolder(to, (target) => rename(source, target))),
  unlink: (path) => inFolder(path, unlink),
  mkdir: (path) => inFolder(path, (name) => mkdir(name)),
  rmdir: (path) => inFolder(path, (name) => rmdir(name)),
  list: async (path) => (await nullWhenMissing(readdir(path))) ?? [],
  syncFolder: (path) => withFolder(path, (folder) => folder.sync()),
}

/** Calls `use` with a name for `path` that stays within its folder whatever happens to the path meanwhile. */
async function inFolder<Result>(path: string, use: (name: string) => Promise<Result>): Promise<Result> {
  return withFolder(dirname(path), (folder) => {
    return use(canNameDescriptors ? `${descriptorPath(folder)}/${basename(path)}` : path)
  })
}

async function withFolder<Result>(path: string, use: (folder: FileHandle) => Promise<Result>): Promise<Result> {
  await using folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  await assertOpenedAt(folder, path)
  return await use(folder)
}

async function describeFile(name: string): Promise<FileStat> {
  const stats = await lstat(name)
  const writable = stats.isFile() && (await access(name, constants.W_OK).then(always, never))
  const { ino, size, mtimeMs, mode, uid, gid } = stats
  const stamp = `${ino}:${size}:${mtimeMs}`
  return { kind: kindOf(stats), sizeBytes: size, mode: mode & 0o7777, owner: { uid, gid }, writable, stamp }
}

function kindOf(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'folder'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

async function readRegularFile(path: string): Promise<Uint8Array> {
  await using handle = await openRealFile(path)
  if (!(await handle.stat()).isFile()) throw new Error('it is not a regular file')
  return await handle.readFile()
}

async function writeNew(name: string, bytes: Uint8Array, like: FileStat | null): Promise<void> {
  // The content of a private file must not be readable for a moment either.
  await using handle = await open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, like === null ? 0o666 : 0o600)
  await handle.writeFile(bytes)
  if (like !== null) await takeAfter(handle, like)
  await handle.sync()
}

/** Only the superuser may give files away; for anyone else the file simply stays theirs. */
async function takeAfter(handle: FileHandle, { mode, owner }: FileStat): Promise<void> {
  const own = await handle.stat()
  if (owner !== null && (own.uid !== owner.uid || own.gid !== owner.gid)) {
    await handle.chown(owner.uid, owner.gid).catch(never)
  }
  await handle.chmod(mode)
}

async function nullWhenMissing<Result>(result: Promise<Result>): Promise<Result | null> {
  try {
    return await result
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const always = (): boolean => true
const never = (): boolean => false
