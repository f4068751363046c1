import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { followLinks, isWithin } from '../../system/paths.ts'
import { type GitPlace, type GitSources, gitPlaces, placesOfFolder } from './git-places.ts'
import { type GitSurroundings, readGitSettings, userGitFiles } from './git-settings.ts'
import { type GuardKind, guardedAtHome, guardedNames, hookNames } from './guarded-names.ts'
import { type FoundRepositories, isBare, knownRepositories } from './repositories.ts'

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
  for (const path of around.own?.() ?? []) collector.add({ path, kind: 'parley' })
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

/** What of a repository that is a folder by itself is git's own; beside it may be its work trees. */
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

/** Within writable folders, by real path. */
export interface FoundPlaces {
  /** Stay as they are with all that is in them, whether they exist or not. */
  readonly places: ReadonlyMap<string, GuardKind>
  /** Lead to such a place, so another one in their stead would lead elsewhere. */
  readonly links: ReadonlyMap<string, GuardKind>
  /** Within such a place, but work goes on there. */
  readonly writable: readonly string[]
}

interface PlaceCollector {
  readonly found: FoundPlaces
  /** A place as it is written: what it leads to counts. */
  add(place: GitPlace): void
  /** As `add`, and the links on the way count too. */
  addWithLinks(place: GitPlace): void
  /** A writable folder that is a repository itself. */
  addBareRoot(root: string, workFolders: readonly string[]): void
}

/** Sorts out what of the places lies within the writable folders. */
function collectPlaces(roots: readonly string[]): PlaceCollector {
  const places = new Map<string, GuardKind>()
  const links = new Map<string, GuardKind>()
  const writable: string[] = []
  const isInside = (path: string) => roots.some((root) => path !== root && isWithin(path, root))

  function add({ path, kind }: GitPlace): readonly string[] {
    const { real, links: passed } = followLinks(path)
    for (const place of placesAt(real, kind, roots)) if (isInside(place) && !places.has(place)) places.set(place, kind)
    return passed.filter(isInside)
  }

  return {
    found: { places, links, writable },
    add: (place) => void add(place),
    addWithLinks(place) {
      for (const link of add(place)) links.set(link, place.kind)
    },
    addBareRoot(root, workFolders) {
      places.set(root, 'repository')
      writable.push(...workFolders)
    },
  }
}

/** A repository's settings can name any place, such as the whole workspace: of that only what git runs there counts. */
function placesAt(real: string, kind: GuardKind, roots: readonly string[]): readonly string[] {
  if (!roots.some((root) => isWithin(root, real))) return [real]
  return kind === 'gitHooks' ? hookNames.map((name) => join(real, name)) : []
}
