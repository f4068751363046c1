import { dirname, join } from 'node:path'
import { foldersUp, timeSlices } from '@parley/host'
import type { EnvironmentFiles, FoundFile } from '../files/environment-files.ts'
import { whenUnknown } from '../files/errors.ts'
import { commonFolderAt, gitFolderAt, smallText } from '../files/git-folders.ts'
import { liesWithin } from '../files/real-path.ts'
import { readIndexNames } from './index-names.ts'
import { type IgnoreRules, isIgnored, rulesIn, withRulesOf } from './read-folder.ts'

/**
 * Size limits for reading an index; the second on machines that report no changes, where each search reads it again.
 */
const maxIndexBytes = 64 * 1024 * 1024
const maxUnknownIndexBytes = 1024 * 1024
const chunkBytes = 1024 * 1024
const maxKnown = 8

interface Known {
  /** Changes with the index and the files of rules. */
  readonly stamp: string
  readonly names: readonly string[]
  readonly ignored: readonly string[]
}

/** Repositories by their tops. */
const known = new WeakMap<EnvironmentFiles, Map<string, Known>>()

/**
 * Returns the real paths of the files at or below `path` that git tracks although a rule names them: git does not
 * ignore them. They may be missing. Returns an empty list without a repository, or where its index cannot be read.
 */
export async function trackedIgnored(path: string, files: EnvironmentFiles): Promise<readonly string[]> {
  const repository = await findRepository(path, files)
  if (repository === null) return []
  const ignored = await ignoredOf(repository, files)
  return ignored.filter((file) => liesWithin(file, path))
}

/** Returns the same files with the folders on the way: a list shows them although a rule names them. */
export async function keptPaths(path: string, files: EnvironmentFiles): Promise<ReadonlySet<string>> {
  const kept = new Set<string>()
  for (const file of await trackedIgnored(path, files))
    for (let at = file; at !== path && !kept.has(at); at = dirname(at)) kept.add(at)
  return kept
}

interface Repository {
  /** Folder with `.git`. */
  readonly top: string
  readonly index: string
  readonly excludes: string
}

async function findRepository(path: string, files: EnvironmentFiles): Promise<Repository | null> {
  const folders = foldersUp(path)
  const found = await Promise.all(folders.map((folder) => lookAt(join(folder, '.git'), files)))
  const top = folders[found.findIndex((entry) => entry !== null && entry.kind !== 'other')]
  const own = top === undefined ? null : await gitFolderAt(join(top, '.git'), files)
  if (top === undefined || own === null) return null
  return { top, index: `${own}/index`, excludes: `${await commonFolderAt(own, files)}/info/exclude` }
}

function lookAt(path: string, files: EnvironmentFiles): Promise<FoundFile | null> {
  return files.look(path).catch(whenUnknown(null))
}

async function ignoredOf(repository: Repository, files: EnvironmentFiles): Promise<readonly string[]> {
  const byTop = known.get(files) ?? new Map<string, Known>()
  known.set(files, byTop)
  const before = byTop.get(repository.top)
  const index = await lookAt(repository.index, files)
  if (index?.kind !== 'file') return []
  const stamp = before === undefined ? null : await stampOf(index, { repository, names: before.names }, files)
  if (before !== undefined && stamp !== null && stamp === before.stamp) return before.ignored
  const names = await readNames(repository.index, index, files)
  if (names === null) return []
  const found = await namesIgnored(names, repository, files)
  byTop.delete(repository.top)
  byTop.set(repository.top, {
    stamp: (await stampOf(index, { repository, names }, files)) ?? '',
    names: names.filter(isRuleName),
    ignored: found,
  })
  for (const top of byTop.keys()) if (byTop.size > maxKnown) byTop.delete(top)
  return found
}

function isRuleName(name: string): boolean {
  return name === '.gitignore' || name.endsWith('/.gitignore')
}

/** Returns a text that changes with the index and the files of rules; null where the machine does not report changes. */
async function stampOf(
  index: FoundFile,
  { repository, names }: { readonly repository: Repository; readonly names: readonly string[] },
  files: EnvironmentFiles,
): Promise<string | null> {
  const paths = [repository.excludes, join(repository.top, '.gitignore')]
  for (const name of names) if (isRuleName(name)) paths.push(join(repository.top, name))
  const found = await Promise.all(paths.map((path) => lookAt(path, files)))
  if (index.state === undefined) return null
  return [index, ...found].map((file) => file?.state ?? '').join('\n')
}

/** Reads the names in an index; null for one that is too large or in no known form. */
async function readNames(
  path: string,
  { sizeBytes, state }: FoundFile,
  files: EnvironmentFiles,
): Promise<readonly string[] | null> {
  if (sizeBytes > (state === undefined ? maxUnknownIndexBytes : maxIndexBytes)) return null
  try {
    await using file = await files.open(await files.realPath(path))
    const chunks: Buffer[] = []
    for (let at = 0; at < sizeBytes; ) {
      const chunk = Buffer.from(await file.read(at, chunkBytes))
      if (chunk.length === 0) break
      chunks.push(chunk)
      at += chunk.length
    }
    return readIndexNames(Buffer.concat(chunks))
  } catch (error) {
    return whenUnknown(null)(error)
  }
}

interface Folder {
  readonly rules: IgnoreRules
  readonly isIgnored: boolean
}

/** Returns the paths among the names that rules ignore, by rules that git tracks or keeps out of the work tree. */
async function namesIgnored(
  names: readonly string[],
  { top, excludes }: Repository,
  files: EnvironmentFiles,
): Promise<readonly string[]> {
  const withRules = new Set(names.filter(isRuleName).map((name) => dirname(join(top, name))))
  const excluded = await smallText(excludes, files)
  const above = excluded === null ? [] : rulesIn(top, excluded)
  const folders = new Map<string, Folder>([[top, { rules: await withRulesOf(top, above, files), isIgnored: false }]])

  async function folderAt(path: string): Promise<Folder> {
    const seen = folders.get(path)
    if (seen !== undefined) return seen
    const parent = await folderAt(dirname(path))
    const ignored = parent.isIgnored || isIgnored(parent.rules, path, true)
    const rules = withRules.has(path) && !ignored ? await withRulesOf(path, parent.rules, files) : parent.rules
    const folder = { rules, isIgnored: ignored }
    folders.set(path, folder)
    return folder
  }

  const found: string[] = []
  const slices = timeSlices()
  for (const name of names) {
    const path = join(top, name)
    if (!path.startsWith(`${top}/`)) continue
    const folder = folders.get(dirname(path)) ?? (await folderAt(dirname(path)))
    if (folder.isIgnored || isIgnored(folder.rules, path, false)) found.push(path)
    if (slices.isOver()) await slices.next()
  }
  return found
}
