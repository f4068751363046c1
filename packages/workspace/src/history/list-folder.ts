import { constants, fstatSync, lstatSync, readdirSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitFoldersOf, withUnlocked } from '@parley/host'
import { orNull } from '@parley/text'
import { type IgnoreRules, isIgnored, rulesIn } from '../look-up/read-folder.ts'
import { readAll } from './content-store.ts'

/** Files that name ignored ones, in the order of their weight. */
const ruleFiles = ['.gitignore', '.ignore'] as const
const maxRuleBytes = 1024 * 1024

/** Names of a folder that no rule ignores. */
export interface FolderList {
  readonly files: readonly string[]
  readonly folders: readonly string[]
  /** Rules of the folder itself and above. */
  readonly rules: IgnoreRules
  /** Changes with the rule files of this folder. */
  readonly ruleStamp: string
}

/**
 * Lists a folder under the rules above it. Links are files here: they are not followed. Of more files than `maxFiles` so
 * many and one more are listed, and all folders.
 */
export function listFolder(folder: string, above: IgnoreRules, maxFiles = Number.POSITIVE_INFINITY): FolderList {
  const { rules, ruleStamp } = withOwnRules(folder, above)
  const files: string[] = []
  const folders: string[] = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const isFolder = entry.isDirectory()
    if (!(isFolder || entry.isFile() || entry.isSymbolicLink())) continue
    if (!isFolder && files.length > maxFiles) continue
    if (isIgnored(rules, path, isFolder)) continue
    if (isFolder) folders.push(path)
    else files.push(path)
  }
  return { files, folders, rules, ruleStamp }
}

/**
 * Returns the rules that apply in a root from outside: the rules of its repository, and of the folders between them.
 */
export function rulesAbove(root: string): IgnoreRules {
  const folders = foldersAbove(root)
  const outer = folders[0] ?? root
  const text = excludes(join(outer, '.git'))
  const excluded = text === '' ? [] : rulesIn(outer, text)
  return folders.reduce((rules, folder) => withOwnRules(folder, rules).rules, excluded)
}

/** Returns the folder with the `.git` of a root: the nearest one above, or the root itself. */
export function repositoryOf(root: string): string {
  return foldersAbove(root)[0] ?? root
}

/** Returns the rules that a repository keeps out of its work tree; empty without a repository, or where git fails too. */
function excludes(entry: string): string {
  const found = orNull(() => gitFoldersOf(entry))
  return found === null ? '' : ruleText(`${found.common}/info/exclude`)
}

/** Returns the folders from the repository down to the parent of `root`; an empty list without a repository. */
function foldersAbove(root: string): readonly string[] {
  if (isThere(join(root, '.git'))) return []
  const above: string[] = []
  for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder)) {
    above.unshift(folder)
    if (isThere(join(folder, '.git'))) return above
  }
  return []
}

function withOwnRules(folder: string, above: IgnoreRules): Pick<FolderList, 'rules' | 'ruleStamp'> {
  const texts = ruleFiles.map((name) => ruleText(join(folder, name)))
  const ruleStamp = texts.join('\0')
  if (texts.every((text) => text === '')) return { rules: above, ruleStamp }
  return { rules: [...above, ...rulesIn(folder, texts.join('\n'))], ruleStamp }
}

/** Returns the text of a rule file; empty for a missing file, and for anything but a regular file of at most 1 MiB. */
function ruleText(path: string): string {
  const found = lookAt(path)
  if (found?.isFile() !== true || found.size > maxRuleBytes) return ''
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const read = (file: number) => readAll(file, Math.min(fstatSync(file).size, maxRuleBytes)).toString('utf8')
  return orNull(() => withUnlocked(path, flags, read)) ?? ''
}

function isThere(path: string): boolean {
  return lookAt(path) !== null
}

/** Coarseness of the times of a file system, in ms: an entry may change twice within it and look the same. */
const coarseMs = 20

/** Returns true for an entry that has changed so recently that another change might not show. */
export function hasJustChanged({ mtimeMs, ctimeMs }: Pick<Stats, 'mtimeMs' | 'ctimeMs'>): boolean {
  return Date.now() - Math.max(mtimeMs, ctimeMs) < coarseMs
}

/** Returns a value that changes with an entry; null for one that has just changed. */
export function stampOf(stats: Stats): string | null {
  return hasJustChanged(stats) ? null : `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}`
}

/** Reads metadata, links not followed; null when there is nothing, or its folder cannot be entered. */
export function lookAt(path: string): Stats | null {
  return orNull(() => lstatSync(path, { throwIfNoEntry: false }) ?? null)
}

/** Tests if a path is one of the files that name ignored ones. */
export function isRuleFile(path: string): boolean {
  return ruleFiles.some((name) => path.endsWith(`/${name}`))
}
