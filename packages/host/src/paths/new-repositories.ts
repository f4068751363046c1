import { basename, dirname, join } from 'node:path'
import { errorMessage, orNull } from '@parley/text'
import { type GitSurroundings, templateFolders } from '../git/git-files.ts'
import { gitFoldersOf } from '../git/git-folder.ts'
import {
  type ChangedFolder,
  changedFolders,
  changedMs,
  hasGitEntries,
  isGitFolder,
  knownRepositories,
  rememberFolders,
  repositoryIdentities,
} from '../git/repositories.ts'
import { type DangerSurroundings, type RepositoryDanger, repositoryDangers } from '../git/repository-dangers.ts'
import { openOwnAccess } from '../system/own-access.ts'
import { identityOf, isWithin, realPathOrNull } from '../system/real-path.ts'
import { type Exchanged, inFolder, limitReports, moveAside } from './move-aside.ts'

/** Time that the clock of a file system may be behind, in ms. */
const clockStepMs = 2000

/** `home` and `env`: of the user, whose settings of git name templates. */
export interface NewRepositoryOptions extends GitSurroundings {
  /** False to report findings without moving anything. Default true. */
  readonly moves?: boolean
}

/**
 * Remembers which folders are repositories. Call the returned function after a command: in each folder that has become
 * a repository, it moves aside the files by which git may start a program, and reports them. No code of this program
 * may run git in the folders in between. `roots`: writable folders, already searched for repositories.
 */
export function watchNewRepositories(roots: readonly string[], options: NewRepositoryOptions): () => Exchanged[] {
  const { moves = true } = options
  const templates = () => templateFolders(options)
  const sinceMs = Date.now() - clockStepMs
  const before = new Map(roots.flatMap((root) => [...repositoryIdentities(root), ...repositoriesAt(root)]))
  const watched = roots.map((root) => ({ root, remembered: rememberFolders(root) }))
  return () => {
    const moved = new Set<string>()
    // Folders that a command closed to its user are listed all the same: git needs no right to list a folder.
    using access = openOwnAccess(roots)
    const { open } = access
    return watched.flatMap(({ root, remembered }) => {
      try {
        const { folders, closed, isWhole } = changedFolders(remembered, { sinceMs, open })
        const reports = folders.flatMap((folder) =>
          newRepositoriesIn(folder, before, open).flatMap((made) =>
            moveDangersAside(made, { roots, templates, open, sinceMs, moves, moved }),
          ),
        )
        const unseen = closed.map((folder) => ({ text: closedText(folder) }))
        return [...limitReports(reports), ...limitReports(unseen), ...(isWhole ? [] : [{ text: tooManyText(root) }])]
      } catch (error) {
        return [{ text: `${root} could not be looked into for repositories (${errorMessage(error)}). ${lookFirst}` }]
      }
    })
  }
}

/** Searches for the repositories that are there, and begins to watch as `watchMadeRepositories` does. */
export async function findAndWatchRepositories(
  roots: readonly string[],
  options: NewRepositoryOptions,
): Promise<() => readonly Exchanged[]> {
  for (const root of roots) await knownRepositories(root)
  return watchNewRepositories(roots, options)
}

function closedText(folder: string): string {
  return `Not all of ${folder} could be looked into for repositories: it cannot be listed, or has names that are no UTF-8. ${lookFirst}`
}

function tooManyText(root: string): string {
  return `More folders were made in ${root} than are looked into for repositories. Look at them before you use git there.`
}

function repositoriesAt(root: string): (readonly [string, string])[] {
  const paths = [...(isGitFolder(root) ? [root] : []), join(root, '.git')]
  return paths.flatMap((path) => {
    const identity = identityOf(path)
    return identity === null ? [] : [[path, identity] as const]
  })
}

/** Folder that git takes for a repository. */
interface NewRepository {
  /** Folder that contains the repository's entry. */
  readonly at: string
  /** Entry that leads git to it: `.git`; the folder itself for a bare repository. */
  readonly entry: string
  readonly folder: string
  /** True when the folder that contains it is new. */
  readonly isNew: boolean
}

function newRepositoriesIn(
  { folder: at, entries, isNew }: ChangedFolder,
  before: ReadonlyMap<string, string>,
  open: (folder: string) => boolean,
): NewRepository[] {
  const entry = join(at, '.git')
  const found: NewRepository[] = []
  const has = (wanted: string) => entries.some(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (has('.git') && before.get(entry) !== identityOf(entry)) {
    open(entry)
    // Null also for a file that is too large, which git refuses.
    const folder = orNull(() => gitFoldersOf(entry)?.own ?? null)
    if (folder !== null && isGitFolder(folder)) found.push({ at, entry, folder, isNew })
  }
  if (hasGitEntries(has) && isGitFolder(at) && before.get(at) !== identityOf(at))
    found.push({ at, entry: at, folder: at, isNew })
  return found
}

interface DangerHandling extends DangerSurroundings {
  readonly sinceMs: number
  /** False to report without moving. */
  readonly moves: boolean
  /** Paths that were moved for another repository. */
  readonly moved: Set<string>
}

/**
 * Moves aside the files by which a repository may start programs, or a part without which the folder is no repository.
 */
function moveDangersAside(made: NewRepository, settling: DangerHandling): Exchanged[] {
  const { roots, sinceMs, moves, moved } = settling
  const needed = [made.entry, ...['commondir', 'HEAD', 'refs', 'objects'].map((name) => join(made.folder, name))]
  const isFresh = (path: string) => changedMs(path) >= sinceMs
  const fresh = [...needed, ...(made.isNew ? [made.at] : [])].filter(isFresh)
  const isMovable = (path: string) => path !== made.at && isBelow(realOf(path), roots)
  const reports: Exchanged[] = []
  for (const danger of repositoryDangers(made.folder, settling)) {
    const { path: file } = danger
    // Made by another program, between the last search and the command.
    if (!isFresh(file) && fresh.length === 0) continue
    const whole = isMovable(file) ? file : made.entry
    const path = isFresh(file) ? whole : (fresh.find(isMovable) ?? whole)
    const about = aboutText(made, danger)
    if (!moved.has(path)) reports.push(moves ? takeAside(path, about, roots) : { text: `${about} ${lookFirst}` })
    moved.add(path)
    // Without this part it is no repository any more.
    if (path !== file) break
  }
  return reports
}

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path !== root && isWithin(path, root))
}

/** Returns the path of an entry, links in its folder followed. */
function realOf(path: string): string {
  return join(realPathOrNull(dirname(path)) ?? dirname(path), basename(path))
}

const lookFirst = 'Look at it before you use git there.'

function aboutText({ at }: NewRepository, { path, why }: RepositoryDanger): string {
  return `Since a command, git takes ${at} for a repository that may start programs: ${path}, as ${why}.`
}

function takeAside(path: string, about: string, roots: readonly string[]): Exchanged {
  try {
    const aside = inFolder(realOf(path), roots, (at) => moveAside(at, path))
    return { text: `${about} ${path} was moved aside and is kept as ${aside}.`, moved: { path, aside } }
  } catch (error) {
    const why = errorMessage(error)
    return { text: `${about} It could not be moved aside (${why}). ${lookFirst}` }
  }
}
