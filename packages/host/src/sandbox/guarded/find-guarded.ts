import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { followLinks, isWithin } from '../../system/paths.ts'
import { type GitPlace, type GitSources, gitPlaces, placesOfFolder } from './git-places.ts'
import { type GitSurroundings, readGitSettings, userGitFiles } from './git-settings.ts'
import { type GuardKind, guardedAtHome, guardedNames, hookNames } from './guarded-names.ts'
import { type FoundRepositories, isBare, knownRepositories } from './repositories.ts'

export interface GuardSurroundings extends GitSurroundings {
  /** Lists the settings files of this program, links in their paths not followed. Called anew each time. */
  readonly own?: () => readonly string[]
}

/**
 * Finds the protected paths within writable folders, as the files are now, for commands and patches alike. `roots` are
 * real paths. Rejects with a sentence where they cannot be found.
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
  // A writable home may have links of its own, such as into a repository of dot files.
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
  // The hooks and settings of a repository apply in each of its folders too.
  for (const entry of entriesUp(root)) for (const place of gitPlaces(entry, sources)) collector.addWithLinks(place)
}

/** Names of git's own entries in a bare repository; other folders may be its work trees. */
const gitEntries = /^(?:branches|hooks|info|lfs|logs|modules|objects|refs|rr-cache|worktrees|\..*)$/

function addBelow(collector: PlaceCollector, { entries, bare }: FoundRepositories, sources: GitSources): void {
  for (const path of [...entries, ...bare]) collector.add({ path, kind: 'repository' })
  const places = [
    ...entries.flatMap((path) => gitPlaces(path, sources)),
    ...bare.flatMap((path) => placesOfFolder(path, path, sources)),
  ]
  for (const place of places) collector.add(place)
}

/** Lists the existing `.git` of a folder and of its parents. */
function entriesUp(folder: string): string[] {
  const entry = join(folder, '.git')
  const above = dirname(folder) === folder ? [] : entriesUp(dirname(folder))
  return exists(entry) ? [entry, ...above] : above
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function workFolders(root: string, listed: readonly Dirent[]): string[] {
  return listed
    .filter((entry) => entry.isDirectory() && !gitEntries.test(entry.name))
    .map(({ name }) => join(root, name))
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Protected paths within writable folders, by real path. */
export interface FoundPlaces {
  /** Paths protected with all that is in them, whether they exist or not. */
  readonly places: ReadonlyMap<string, GuardKind>
  /** Links to such a path; replaced, they would lead elsewhere. */
  readonly links: ReadonlyMap<string, GuardKind>
  /** Folders within such a path that stay writable. */
  readonly writable: readonly string[]
}

interface PlaceCollector {
  readonly found: FoundPlaces
  /** Adds the target of a path. */
  add(place: GitPlace): void
  /** Adds the target of a path and the links on the way. */
  addWithLinks(place: GitPlace): void
  /** Adds a writable folder that is a bare repository. */
  addBareRoot(root: string, workFolders: readonly string[]): void
}

/** Longer paths cannot be opened on any system, and each part of a path is looked at. */
const maxPathLength = 16 * 1024

/** Collects the paths that lie within the writable folders. */
function collectPlaces(roots: readonly string[]): PlaceCollector {
  const places = new Map<string, GuardKind>()
  const links = new Map<string, GuardKind>()
  const writable: string[] = []
  const isInside = (path: string) => roots.some((root) => path !== root && isWithin(path, root))

  function add({ path, kind }: GitPlace): readonly string[] {
    if (path.length > maxPathLength) throw new Error(`${path.slice(0, 200)}… is too long a path to follow`)
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

/** Narrows a path that holds a whole root, which git's settings may name, to the hooks that git runs there. */
function placesAt(real: string, kind: GuardKind, roots: readonly string[]): readonly string[] {
  if (!roots.some((root) => isWithin(root, real))) return [real]
  return kind === 'gitHooks' ? hookNames.map((name) => join(real, name)) : []
}
