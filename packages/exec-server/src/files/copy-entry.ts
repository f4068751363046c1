import type { Dirent } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { identityOfStat } from '@parley/host'
import {
  diskPatchFiles,
  entriesOf,
  inFolder,
  liesWithin,
  openRealFile,
  realPathOf,
  writeNewFile,
} from '@parley/workspace'
import type { FileLimits } from '../sandbox/machine-ceiling.ts'
import { reachOf, reachOfItself } from '../sandbox/reach.ts'
import { asFileFailure, entryErrors } from '../wire/requests.ts'
import { replaceWith } from './change-entry.ts'

interface Copy {
  readonly from: string
  readonly to: string
  readonly recursive: boolean
  /** Limits that also hold for every entry below a folder. */
  readonly limits: FileLimits | null
}

/** Copies a file with its mode, a link as a link, or a folder with all below it, which is judged before anything is made. */
export async function copyEntry({ from, to, recursive, limits }: Copy): Promise<void> {
  const source = await lookAtSource(from, limits)
  try {
    if (source.kind === 'file') return await copyFile(source.path, await targetOfFile(to, limits))
    const target = await itselfAt(to, 'write', limits)
    if (source.kind === 'link') return await copyLink(source.path, target)
    if (!recursive) throw entryErrors.folderNeedsRecursive()
    if (liesWithin(target, source.path)) throw entryErrors.copyIntoItself()
    await copyFolder(source.path, target, limits)
  } catch (error) {
    throw asFileFailure(error, to)
  }
}

type EntryKind = 'file' | 'folder' | 'link'

interface FoundEntry {
  /** Real path but for its last name, which may be a link. */
  readonly path: string
  readonly kind: EntryKind
}

async function lookAtSource(from: string, limits: FileLimits | null): Promise<FoundEntry> {
  try {
    const path = await itselfAt(from, 'read', limits)
    const kind = kindOf(await inFolder(path, lstat))
    if (kind === null) throw entryErrors.kindNotCopied()
    return { path, kind }
  } catch (error) {
    throw asFileFailure(error, from)
  }
}

function kindOf(entry: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind | null {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : null
}

/** Resolves a path but for its last name, which may be a link that is meant itself. */
async function itselfAt(path: string, access: 'read' | 'write', limits: FileLimits | null): Promise<string> {
  const reach = await reachOfItself(path, access, { exact: false, limits })
  return reach.exact ? reach.path : join(await realPathOf(dirname(path)), basename(path))
}

/** Resolves the file that a copy replaces, as a write does: through a link. */
async function targetOfFile(path: string, limits: FileLimits | null): Promise<string> {
  const reach = await reachOf(path, 'write', { exact: false, limits })
  return reach.exact ? reach.path : realPathOf(path)
}

/** Copies a file whole or not at all. One onto itself stays as it is. */
async function copyFile(source: string, target: string, mustBeNew = false): Promise<void> {
  await using file = await openRealFile(source)
  const stats = await file.stat({ bigint: true })
  if (!stats.isFile()) throw entryErrors.kindNotCopied()
  const there = await inFolder(target, (name) => lstat(name, { bigint: true })).catch(() => null)
  if (there !== null && identityOfStat(there) === identityOfStat(stats)) return
  const content = { expectedHash: mustBeNew ? null : undefined, mode: Number(stats.mode) & 0o777 }
  await replaceWith({ path: target, exact: true }, content, (temporary, like) =>
    writeNewFile(temporary, file.createReadStream({ autoClose: false }), like),
  )
}

async function copyLink(source: string, target: string): Promise<void> {
  await diskPatchFiles.symlink(target, await diskPatchFiles.readLink(source))
}

async function copyFolder(source: string, target: string, limits: FileLimits | null): Promise<void> {
  const below: FoundEntry[] = []
  for await (const entry of entriesBelow(source, limits)) below.push(entry)
  const placeOf = ({ path }: FoundEntry) => join(target, relative(source, path))
  await limits?.assertAllWritable(below.map(placeOf))
  await diskPatchFiles.mkdir(target)
  for (const entry of below) {
    if (entry.kind === 'folder') await diskPatchFiles.mkdir(placeOf(entry))
    else if (entry.kind === 'link') await copyLink(entry.path, placeOf(entry))
    else await copyFile(entry.path, placeOf(entry), true)
  }
}

/** Yields what lies below a folder, each folder before its entries; pipes, sockets and devices are left out. */
async function* entriesBelow(folder: string, limits: FileLimits | null): AsyncGenerator<FoundEntry, void, undefined> {
  for await (const entry of entriesOf(folder)) {
    const kind = kindOf(entry)
    if (kind === null) continue
    const path = join(folder, entry.name)
    limits?.assertReadable(path)
    yield { path, kind }
    if (kind === 'folder') yield* entriesBelow(path, limits)
  }
}
