import type { Dirent } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type GitSources,
  type GitSurroundings,
  gitPlaces,
  placesOfFolder,
  readUserSettings,
  userGitFiles,
} from '../git/git-files.ts'
import { type FoundRepositories, isBare, knownRepositories } from '../git/repositories.ts'
import { entriesIn } from '../system/list-folder.ts'
import { followLinks, isWithin, lookAt } from '../system/real-path.ts'
import { closedNames, closedPatterns, reservedNames } from './auto-run-names.ts'
import { collectGuardedPaths, type GuardedPathCollector, type GuardedPaths } from './collect-guarded-paths.ts'
import { alsoAtHome, guardedAtHome } from './guarded-names.ts'
import { hardLinksOf } from './hard-links.ts'
import { type OwnPrograms, pathsOfPrograms } from './own-programs.ts'

export interface GuardSurroundings extends GitSurroundings, OwnPrograms {
  /** Lists the settings files of this program, links in their paths not followed. Called anew each time. */
  readonly own?: () => readonly string[]
}

/**
 * Finds the protected paths within writable folders, as the files are now, for commands and patches alike. `roots` are
 * real paths. Rejects with a sentence where they cannot be found.
 */
export async function findGuarded(roots: readonly string[], around: GuardSurroundings): Promise<GuardedPaths> {
  const collector = collectGuardedPaths(roots)
  const sources = addUserSettings(collector, around)
  for (const path of around.own?.() ?? []) {
    collector.addWithLinks({ path, kind: 'parley' })
    for (const name of hardLinksOf(followLinks(path).real, roots)) collector.addWatched({ path: name, kind: 'parley' })
  }
  for (const path of pathsOfPrograms(roots, around)) collector.addIfThere({ path, kind: 'startsPrograms' })
  for (const root of roots) {
    addRoot(collector, root, sources)
    addBelow(collector, await knownRepositories(root), sources)
    if (!isWithin(around.home, root)) continue
    for (const name of guardedAtHome) collector.addWatched({ path: join(around.home, name), kind: 'atStart' })
    for (const name of alsoAtHome) collector.addIfThere({ path: join(around.home, name), kind: 'atStart' })
  }
  return collector.found
}

function addUserSettings(collector: GuardedPathCollector, around: GuardSurroundings): GitSources {
  const files = userGitFiles(around)
  const user = readUserSettings(files, around)
  // A writable home may have links of its own, such as into a repository of dot files.
  for (const path of files) collector.addWatched({ path, kind: 'gitSettings' })
  for (const path of user.files.slice(files.length)) collector.addWithLinks({ path, kind: 'gitSettings' })
  return { home: around.home, user }
}

function addRoot(collector: GuardedPathCollector, root: string, sources: GitSources): void {
  const listed = entriesIn(root) ?? []
  if (isBare(listed)) {
    collector.addBareRoot(root, workFolders(root, listed))
    for (const place of placesOfFolder(root, root, sources)) collector.addNamed(place)
  } else {
    for (const [name, kind] of reservedNames) collector.addWatched({ path: join(root, name), kind })
    addClosed(collector, root, listed)
    collector.addWithLinks({ path: join(root, '.git'), kind: 'repository' })
  }
  // The hooks and settings of a repository apply in each of its folders too.
  for (const entry of entriesUp(root)) for (const place of gitPlaces(entry, sources)) collector.addNamed(place)
}

/** Adds names that keep their place free while they are missing. */
function addClosed(collector: GuardedPathCollector, root: string, listed: readonly Dirent[]): void {
  const there = new Set(listed.map(({ name }) => name.toLowerCase()))
  for (const [name, kind] of closedNames) {
    const [top = name] = name.split('/', 1)
    const place = { path: join(root, name), kind }
    if (there.has(top.toLowerCase())) collector.addReportOnly(place)
    else collector.addMissing(place)
  }
  for (const { name } of listed)
    for (const [pattern, kind] of closedPatterns)
      if (pattern.test(name)) collector.addReportOnly({ path: join(root, name), kind })
}

/** Names of git's own entries in a bare repository; other folders may be its work trees. */
const gitEntries = /^(?:branches|hooks|info|lfs|logs|modules|objects|refs|rr-cache|worktrees|\..*)$/

function addBelow(collector: GuardedPathCollector, { entries, bare }: FoundRepositories, sources: GitSources): void {
  for (const path of [...entries, ...bare]) collector.addWatched({ path, kind: 'repository' })
  const places = [
    ...entries.flatMap((path) => gitPlaces(path, sources)),
    ...bare.flatMap((path) => placesOfFolder(path, path, sources)),
  ]
  for (const place of places) {
    if (place.ifThere === true) collector.addIfThere(place)
    else collector.addWatched(place)
  }
}

/** Lists the existing `.git` of a folder and of its parents. */
function entriesUp(folder: string): string[] {
  const entry = join(folder, '.git')
  const above = dirname(folder) === folder ? [] : entriesUp(dirname(folder))
  return lookAt(entry) !== null ? [entry, ...above] : above
}

function workFolders(root: string, listed: readonly Dirent[]): string[] {
  return listed
    .filter((entry) => entry.isDirectory() && !gitEntries.test(entry.name))
    .map(({ name }) => join(root, name))
}
