import { constants, type Stats } from 'node:fs'
import {
  access,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
} from 'node:fs/promises'
import { errorCode, isMissing } from '@parley/text'
import { entriesOf, inFolder, openRealFile, withFolder } from '../../files/open-real-path.ts'
import { realPathOf } from '../../files/real-path.ts'
import type { FileLike, FileStat, PatchFiles } from '../patch-files.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
/** Modes before the umask; explicit, so that an unusual umask creates no files that everybody may write. */
const newFileMode = 0o644
const newFolderMode = 0o755
/** Mode bits kept in a replaced file; setuid and setgid are dropped, because the new content has another author. */
const keptModeBits = 0o1777

/** Files of this machine. Each operation uses an open descriptor of the folder, so that no link can divert it. */
export const diskPatchFiles: PatchFiles = {
  realPath: (absolute) => realPathOf(absolute),
  stat: (path) => nullWhenMissing(inFolder(path, describeFile)),
  readFile: (path) => readRegularFile(path),
  readLink: (path) => inFolder(path, (name) => readlink(name)),
  writeTemp: writeNewFile,
  symlink: (path, target) => inFolder(path, (name) => symlink(target, name)),
  link: (from, to) => inFolder(from, (source) => inFolder(to, (target) => link(source, target))),
  rename: (from, to) => inFolder(from, (source) => inFolder(to, (target) => rename(source, target))),
  unlink: (path) => inFolder(path, unlink),
  mkdir: (path) => inFolder(path, (name) => mkdir(name, newFolderMode)),
  rmdir: (path) => inFolder(path, (name) => rmdir(name)),
  list: async (path) => (await nullWhenMissing(namesIn(path))) ?? [],
  syncFolder: (path) => withFolder(path, (folder) => folder.sync()),
}

async function namesIn(path: string): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of entriesOf(path)) names.push(name)
  return names
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

/** Writes a file that is not there yet, with mode and owner of `like`; its folder is a real path. */
export function writeNewFile(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  like: FileLike | null,
): Promise<void> {
  return inFolder(path, (name) => writeNew(name, content, like))
}

async function writeNew(
  name: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  like: FileLike | null,
): Promise<void> {
  // Created private, because the content of a private file must not be readable even briefly.
  await using handle = await open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, like === null ? newFileMode : 0o600)
  await handle.writeFile(content)
  if (like !== null) await copyModeAndOwner(handle, like)
  await handle.sync()
}

/** Copies mode and owner. A failed chown is ignored: only the superuser may change the owner. */
async function copyModeAndOwner(handle: FileHandle, { mode, owner }: FileLike): Promise<void> {
  const own = await handle.stat()
  if (owner !== null && (own.uid !== owner.uid || own.gid !== owner.gid)) {
    await handle.chown(owner.uid, owner.gid).catch(never)
  }
  await handle.chmod(mode & keptModeBits)
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

/** Codes of file systems and kernels that do not allow hard links. */
const linkRefusals = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES'])

/** Returns true when an error of `link` means that hard links are not possible there. */
export function refusesLinks(error: unknown): boolean {
  return linkRefusals.has(errorCode(error) ?? '')
}
