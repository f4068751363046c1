import type { Dirent } from 'node:fs'
import { basename, join } from 'node:path'
import { errorMessage, orNull } from '@parley/text'
import { entriesOpened } from '../system/list-folder.ts'
import { statOrNull } from '../system/locked-files.ts'
import { isWithin, lookAt, realPathOrNull } from '../system/real-path.ts'
import { commonFolderOf, pathFrom, readBounded } from './git-folder.ts'
import { startingSetting } from './harmless-settings.ts'
import { isGitFolder } from './repositories.ts'

/** File of a repository that may make git start a program. */
export interface RepositoryDanger {
  readonly path: string
  /** Reason as the rest of a sentence. */
  readonly why: string
}

export interface DangerSurroundings {
  /** Writable folders. */
  readonly roots: readonly string[]
  /** Lists the folders from which git fills new repositories. */
  readonly templates: () => readonly string[]
  /** Opens a folder that cannot be listed. Returns true if another try may succeed. */
  readonly open: (folder: string) => boolean
}

/** Entries that are looked at in the repositories that one holds for submodules and work trees. */
const maxHeld = 300
const maxHeldDepth = 5

/**
 * Lists the files by which git may start a program in a repository and in its submodules and work trees. Settings are
 * compared with a table of harmless ones. A hook counts if it can be executed, is no sample, and comes from no template
 * of the user.
 */
export function repositoryDangers(
  folder: string,
  around: DangerSurroundings,
  budget = { left: maxHeld },
): readonly RepositoryDanger[] {
  const { roots } = around
  let common: string
  try {
    common = commonFolderOf(folder)
  } catch (error) {
    return [{ path: join(folder, 'commondir'), why: errorMessage(error) }]
  }
  const folders = [...new Set([folder, common])]
  return [
    ...folders.flatMap((at) => settingsDangers(at, roots)),
    ...hookDangers(`${common}/hooks`, around),
    ...heldDangers(common, around, budget),
  ]
}

function settingsDangers(folder: string, roots: readonly string[]): RepositoryDanger[] {
  const isWorkTree = (path: string) => {
    const real = realPathOrNull(pathFrom(folder, path))
    return real !== null && roots.some((root) => isWithin(real, root))
  }
  return ['config', 'config.worktree'].flatMap((name) => {
    const path = `${folder}/${name}`
    const why = settingsReason(path, isWorkTree)
    return why === null ? [] : [{ path, why }]
  })
}

function settingsReason(path: string, isWorkTree: (path: string) => boolean): string | null {
  const stat = statOrNull(path)
  // git ends with an error at a folder.
  if (stat === null || stat.isDirectory()) return null
  try {
    const text = readBounded(path)
    if (text === null) return 'its settings cannot be read'
    const name = startingSetting(text, isWorkTree)
    return name === null ? null : `its settings may start a program: ${name}`
  } catch (error) {
    return errorMessage(error)
  }
}

function hookDangers(hooks: string, around: DangerSurroundings): RepositoryDanger[] {
  const names = list(hooks, around).map(({ name }) => name)
  const executable = names.filter((name) => !name.endsWith('.sample') && isExecutable(join(hooks, name)))
  const found = executable.filter((name) => !isOfTemplate(join(hooks, name), around))
  const isLink = lookAt(hooks)?.isSymbolicLink() === true
  // Where the folder is a link, the files are of another folder, and the link is what makes them hooks.
  if (isLink && found.length > 0) return [{ path: hooks, why: `it leads to hooks that git runs: ${found[0]}` }]
  return found.map((name) => ({ path: join(hooks, name), why: `git runs it as the hook ${basename(name)}` }))
}

/** Tests if a hook is the one of a template, in a place that commands cannot write. */
function isOfTemplate(hook: string, { roots, templates }: DangerSurroundings): boolean {
  return templates().some((folder) => {
    const real = realPathOrNull(join(folder, 'hooks', basename(hook)))
    if (real === null || roots.some((root) => isWithin(real, root))) return false
    return orNull(() => readBounded(hook) === readBounded(real)) ?? false
  })
}

function isExecutable(path: string): boolean {
  const stat = statOrNull(path)
  return stat?.isFile() === true && (stat.mode & 0o111n) !== 0n
}

/**
 * Searches the repositories of submodules, which may have slashes in their names, and the settings of further work
 * trees.
 */
function heldDangers(common: string, around: DangerSurroundings, budget: { left: number }): RepositoryDanger[] {
  const worktrees = list(join(common, 'worktrees'), around).flatMap(({ name }) =>
    settingsDangers(join(common, 'worktrees', name), around.roots),
  )
  const found: RepositoryDanger[] = [...worktrees]
  let level: readonly string[] = [join(common, 'modules')]
  for (let depth = 0; depth < maxHeldDepth && level.length > 0; depth += 1) {
    const below = level.flatMap((folder) =>
      list(folder, around).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : [])),
    )
    budget.left -= below.length
    if (budget.left < 0)
      return [...found, { path: join(common, 'modules'), why: 'it holds too many repositories to look into' }]
    for (const folder of below)
      if (isGitFolder(folder)) for (const danger of repositoryDangers(folder, around, budget)) found.push(danger)
    level = below.filter((folder) => !isGitFolder(folder))
  }
  return found
}

function list(folder: string, { open }: Pick<DangerSurroundings, 'open'>): Dirent[] {
  return entriesOpened(folder, open) ?? []
}
