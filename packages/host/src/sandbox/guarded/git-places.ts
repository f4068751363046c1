import { statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { from, type GitSettings, type GitSurroundings, readGitSettings } from './git-settings.ts'
import type { GuardKind } from './guard-kinds.ts'
import { readBounded } from './read-bounded.ts'

/** A path that decides what git runs in a repository, whether it exists or not. Links in it are not followed yet. */
export interface GitPlace {
  readonly path: string
  readonly kind: GuardKind
}

export interface GitSources extends GitSurroundings {
  /** The settings of the user and of the machine: a relative path of hooks in them is of every repository. */
  readonly user: GitSettings
}

const settingFiles = ['config', 'config.worktree'] as const
/** Each place of hooks counts once for every folder that it may be relative to. */
const maxHookPlaces = 1000

/** Lists what is named by `entry`, a folder or a file named `.git`, or by what that names. */
export function gitPlaces(entry: string, sources: GitSources): GitPlace[] {
  const folder = folderOf(entry)
  if (folder === null) return []
  const own: GitPlace[] = folder === entry ? [] : [{ path: folder, kind: 'repository' }]
  return [...own, ...placesOfFolder(folder, dirname(entry), sources)]
}

/** Finds the repository of a `.git`: there, or where a file of that name says. */
function folderOf(entry: string): string | null {
  if (!isFile(entry)) return entry
  const text = readBounded(entry)?.split('\0', 1)[0] ?? ''
  const target = text.startsWith('gitdir: ') ? withoutLineEnd(text.slice('gitdir: '.length)) : ''
  return target === '' ? null : from(dirname(entry), target)
}

/**
 * Lists what a repository's own folder leads to. Hooks start in the work tree, or in the folder where there is none.
 * Throws a sentence where its settings name too many places.
 */
export function placesOfFolder(folder: string, workTree: string, sources: GitSources): GitPlace[] {
  const common = withoutLineEnd(readBounded(`${folder}/commondir`)?.split('\0', 1)[0] ?? '')
  const folders = common === '' ? [folder] : [folder, from(folder, common)]
  const named = readGitSettings(
    folders.flatMap((at) => settingFiles.map((name) => `${at}/${name}`)),
    sources,
  )
  const starts = [workTree, folder, ...named.workTrees.map((path) => from(folder, path))]
  const hooks = [...new Set([...named.hooks, ...sources.user.hooks])]
  if (hooks.length * starts.length > maxHookPlaces)
    throw new Error(`The git settings in ${folder} name too many places of hooks to follow`)
  return [
    ...folders.slice(1).map((path) => ({ path, kind: 'repository' as const })),
    ...folders.map((at) => ({ path: `${at}/commondir`, kind: 'repository' as const })),
    ...folders.map((at) => ({ path: `${at}/hooks`, kind: 'gitHooks' as const })),
    ...named.files.map((path) => ({ path, kind: 'gitSettings' as const })),
    ...hooksFrom(starts, hooks),
  ]
}

function hooksFrom(starts: readonly string[], hooks: readonly string[]): GitPlace[] {
  const paths = hooks.flatMap((path) => (isAbsolute(path) ? [path] : starts.map((start) => from(start, path))))
  return [...new Set(paths)].map((path) => ({ path, kind: 'gitHooks' }))
}

/** By hand, as a pattern would look at each line end anew from every one before it. */
function withoutLineEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1
  return text.slice(0, end)
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}
