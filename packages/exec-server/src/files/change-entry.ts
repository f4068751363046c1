import { createHash } from 'node:crypto'
import { lstat, mkdir, rm, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createMark, isOwnerAlive, parseMark } from '@parley/host'
import { errorCodes, RpcError } from '@parley/rpc'
import { errorCode, isMissing } from '@parley/text'
import {
  contentHash,
  diskPatchFiles,
  entriesOf,
  type FileStat,
  inFolder,
  openRealFile,
  refusesLinks,
  succeeds,
} from '@parley/workspace'
import type { FileLimits } from '../sandbox/machine-ceiling.ts'
import type { Reach } from '../sandbox/reach.ts'
import { fileFailure } from '../wire/requests.ts'

interface FileContent {
  readonly bytes: Buffer
  /** Expected SHA-256 of the replaced file; null requires a missing file, undefined accepts any. */
  readonly expectedHash: string | null | undefined
  /** Mode bits; null keeps the mode of the replaced file. */
  readonly mode: number | null
}

const files = diskPatchFiles
const removeLeftovers = createLeftoverRemover()

/** Writes the whole content or nothing, and keeps mode and owner of the replaced file. Returns its SHA-256. */
export async function replaceFile(reach: Reach, { bytes, ...content }: FileContent): Promise<string> {
  await replaceWith(reach, content, (temporary, like) => files.writeTemp(temporary, bytes, like))
  return contentHash(bytes)
}

/** Replaces a file by what `write` writes to a path beside it, with mode and owner of `like`, or not at all. */
export async function replaceWith(
  { path, exact }: Reach,
  { expectedHash, mode }: Omit<FileContent, 'bytes'>,
  write: (temporary: string, like: FileStat | null) => Promise<void>,
): Promise<void> {
  const target = exact ? path : await files.realPath(path)
  const before = await files.stat(target)
  if (before !== null && before.kind !== 'file') throw notReplaceable(path, before.kind)
  // Independent of the length of the target's name; the mark names this process as the owner.
  const temporary = join(dirname(target), `${prefix}${createMark()}`)
  try {
    await write(temporary, statFor(before, mode))
    // As late as possible: a change between this check and the rename goes unnoticed.
    await assertHash(target, await files.stat(target), expectedHash)
    await putInPlace(temporary, target, expectedHash === null)
  } catch (error) {
    await files.unlink(temporary).catch(() => undefined)
    throw error
  }
  await files.syncFolder(dirname(target))
  await removeLeftovers(dirname(target)).catch(() => undefined)
}

/**
 * Moves the new file to its path. A link fails if a file exists by now, where a rename would replace it; without
 * links the earlier check has to suffice.
 */
async function putInPlace(temporary: string, target: string, mustBeNew: boolean): Promise<void> {
  if (!mustBeNew) return files.rename(temporary, target)
  try {
    await files.link(temporary, target)
  } catch (error) {
    if (!refusesLinks(error)) throw error
    return files.rename(temporary, target)
  }
  await files.unlink(temporary)
}

function statFor(before: FileStat | null, mode: number | null): FileStat | null {
  if (mode === null) return before
  return { kind: 'file', sizeBytes: 0, owner: null, writable: true, stamp: '', ...before, mode }
}

async function assertHash(target: string, now: FileStat | null, expected: string | null | undefined): Promise<void> {
  if (expected === undefined) return
  const actualHash = now === null ? null : await hashOf(target)
  if (actualHash === expected) return
  const message = actualHash === null ? 'there is no such file any more' : 'it is not what it was'
  throw new RpcError(errorCodes.invalidRequest, `${target}: ${message}`, { code: 'hashMismatch', actualHash })
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await using file = await openRealFile(path)
  for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk)
  return hash.digest('hex')
}

function notReplaceable(path: string, kind: FileStat['kind']): RpcError {
  if (kind === 'folder') return fileFailure('EISDIR', path, 'it is a folder')
  return kind === 'link'
    ? fileFailure('ELOOP', path, 'the path now leads somewhere else')
    : fileFailure('EINVAL', path, 'it is not a regular file')
}

const prefix = '.parley-'
/** Age below which a file stays: an owner in another container or on another machine looks dead from here. */
const youngMs = 60_000
const lookAgainMs = 60_000
const rememberedFolders = 1000

/** Returns a function that removes files of killed exec-servers from a folder, at most once a minute each. */
function createLeftoverRemover(): (folder: string) => Promise<void> {
  const lookedAtMs = new Map<string, number>()
  return async (folder) => {
    const nowMs = performance.now()
    if (nowMs - (lookedAtMs.get(folder) ?? Number.NEGATIVE_INFINITY) < lookAgainMs) return
    if (lookedAtMs.size >= rememberedFolders) lookedAtMs.clear()
    lookedAtMs.set(folder, nowMs)
    for (const name of await diskPatchFiles.list(folder)) {
      const path = join(folder, name)
      if (isOwnerless(name) && (await isOld(path))) await succeeds(() => unlink(path))
    }
  }
}

function isOwnerless(name: string): boolean {
  const owner = name.startsWith(prefix) ? parseMark(name.slice(prefix.length)) : null
  return owner !== null && !isOwnerAlive(owner)
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() === true && Date.now() - found.mtimeMs > youngMs
}

/** Operations on folders: by name, or with each parent held open so that no link can divert them. */
interface FolderOperations {
  make(path: string): Promise<unknown>
  isFolder(path: string): Promise<boolean>
}

const named: FolderOperations = {
  make: (path) => mkdir(path),
  isFolder: async (path) => (await stat(path)).isDirectory(),
}
const exactly: FolderOperations = {
  make: diskPatchFiles.mkdir,
  isFolder: async (path) => (await diskPatchFiles.stat(path))?.kind === 'folder',
}

/**
 * Creates a folder, with missing parents if `recursive`. Creates one at a time, since Node's `recursive` never ends
 * where an existing parent answers ENOENT, as `/proc` does.
 */
export function makeFolder({ path, exact }: Reach, recursive: boolean): Promise<void> {
  return makeWith(exact ? exactly : named, path, recursive)
}

async function makeWith(folders: FolderOperations, path: string, recursive: boolean): Promise<void> {
  try {
    await folders.make(path)
  } catch (error) {
    if (!recursive) throw error
    const code = errorCode(error)
    if (code === 'EEXIST' && (await folders.isFolder(path))) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || (await folders.isFolder(parent).catch(() => false))) throw error
    await makeWith(folders, parent, true)
    await makeWith(folders, path, true)
  }
}

interface Removal {
  readonly recursive: boolean
  readonly force: boolean
  /** Limits that also hold for every entry below a folder. */
  readonly limits: FileLimits | null
}

/** Removes a file, a folder or a link itself, never the target of a link. */
export async function removeEntry({ path, exact }: Reach, { recursive, force, limits }: Removal): Promise<void> {
  try {
    if (exact) await removeExactly(path, recursive, limits)
    else await removeNamed(path, recursive)
  } catch (error) {
    if (!force || !isMissing(error)) throw error
  }
}

async function removeNamed(path: string, recursive: boolean): Promise<void> {
  const isFolder = (await lstat(path)).isDirectory()
  if (isFolder && recursive) await rm(path, { recursive: true })
  else if (isFolder) await rmdir(path)
  else await unlink(path)
}

/**
 * Removes folder by folder, each held open while its entries go, so that a folder swapped for a link empties no
 * other.
 */
async function removeExactly(path: string, recursive: boolean, limits: FileLimits | null): Promise<void> {
  await limits?.assertWritable(path)
  const isFolder = await inFolder(path, async (name) => (await lstat(name)).isDirectory())
  if (!isFolder) return inFolder(path, unlink)
  if (recursive) {
    const names: string[] = []
    for await (const { name } of entriesOf(path)) names.push(join(path, name))
    // All entries are checked before the first is removed.
    for (const below of names) await limits?.assertWritable(below)
    for (const below of names) await removeExactly(below, true, limits)
  }
  await inFolder(path, rmdir)
}
