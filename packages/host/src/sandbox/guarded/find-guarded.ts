import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin } from '../is-within.ts'
import { collectPlaces, type FoundPlaces, type PlaceCollector } from './collect-places.ts'
import { type FoundRepositories, isBare } from './find-repositories.ts'
import { type GitSources, gitPlaces, placesOfFolder } from './git-places.ts'
import { type GitSurroundings, readGitSettings, userGitFiles } from './git-settings.ts'
import { guardedAtHome, guardedNames } from './guarded-names.ts'
import { knownRepositories } from './known-repositories.ts'

export interface GuardSurroundings extends GitSurroundings {
  /** Lists files that rule this program, links in their paths not followed. Called anew each time. */
  readonly own?: () => readonly string[]
}

/**
 * Finds what is run or obeyed later within writable folders, as the files are now: one answer for commands and patches.
 * `roots` are real paths. Rejects with a sentence where it cannot be told.
 */
export async function findGuarded(roots: readonly string[], around: GuardSurroundings): Promise<FoundPlaces> {
  const collector = collectPlaces(roots)
  const sources = addUserSettings(collector, around)
  for (const path of around.own?.() ?? []) collector.addWithLinks({ path, kind: 'parley' })
  for (const root of roots) {
    addRoot(collector, root, sources)
    addBelow(collector, await knownRepositories(root), sources)
    if (!isWithin(around.home, root)) continue
    for (const name of guardedAtHome) collector.add({ path: join(around.home, name), kind: 'atStart' })
  }
  return collector.found
}

function addUserSettings(collector: PlaceCollector, around: GuardSurroundings): GitSources {
  const files = userGitFiles(around)
  const user = readGitSettings(files, around)
  // A home that is worked in may have links of its own, as one kept in order by a repository of dot files does.
  for (const path of files) collector.add({ path, kind: 'gitSettings' })
  for (const path of user.files.slice(files.length)) collector.addWithLinks({ path, kind: 'gitSettings' })
  return { ...around, user }
}

function addRoot(collector: PlaceCollector, root: string, sources: GitSources): void {
  const listed = list(root)
  if (isBare(listed)) {
    collector.addBareRoot(root, workFolders(root, listed))
    for (const place of placesOfFolder(root, root, sources)) collector.addWithLinks(place)
  } else {
    for (const [name, kind] of guardedNames) collector.add({ path: join(root, name), kind })
    collector.addWithLinks({ path: join(root, '.git'), kind: 'repository' })
  }
  // A folder within a repository has that one's hooks and settings too.
  for (const entry of entriesUp(root)) for (const place of gitPlaces(entry, sources)) collector.addWithLinks(place)
}

/** Names of git's own folders in a repository that is a folder by itself; beside them may be its work trees. */
const ofGit = /^(?:branches|hooks|info|lfs|logs|modules|objects|refs|rr-cache|worktrees|\..*)$/

function addBelow(collector: PlaceCollector, { entries, bare }: FoundRepositories, sources: GitSources): void {
  for (const path of [...entries, ...bare]) collector.add({ path, kind: 'repository' })
  const places = [
    ...entries.flatMap((path) => gitPlaces(path, sources)),
    ...bare.flatMap((path) => placesOfFolder(path, path, sources)),
  ]
  for (const place of places) collector.add(place)
}

/** The `.git` of a folder and of those that hold it. */
function entriesUp(folder: string): string[] {
  const entry = join(folder, '.git')
  const above = dirname(folder) === folder ? [] : entriesUp(dirname(folder))
  return isThere(entry) ? [entry, ...above] : above
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function workFolders(root: string, listed: readonly Dirent[]): string[] {
  return listed.filter((entry) => entry.isDirectory() && !ofGit.test(entry.name)).map(({ name }) => join(root, name))
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
