import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { followLinks, isWithin, lookAt, spellings } from '../system/real-path.ts'
import {
  type GitPlace,
  type GitSources,
  type GitSurroundings,
  gitPlaces,
  placesOfFolder,
  readUserSettings,
  userGitFiles,
} from './git-files.ts'
import { alsoAtHome, type GuardKind, guardedAtHome, guardedNames, hookNames } from './guarded-names.ts'
import { type OwnPrograms, pathsOfPrograms } from './own-programs.ts'
import { type FoundRepositories, isBare, knownRepositories } from './repositories.ts'
import { isPlaceholder } from './reserved-names.ts'
import { secondNames } from './second-names.ts'

export interface GuardSurroundings extends GitSurroundings, OwnPrograms {
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
  for (const path of around.own?.() ?? []) {
    collector.addWithLinks({ path, kind: 'parley' })
    for (const name of secondNames(followLinks(path).real, roots)) collector.addWatched({ path: name, kind: 'parley' })
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

function addUserSettings(collector: PlaceCollector, around: GuardSurroundings): GitSources {
  const files = userGitFiles(around)
  const user = readUserSettings(files, around)
  // A writable home may have links of its own, such as into a repository of dot files.
  for (const path of files) collector.addWatched({ path, kind: 'gitSettings' })
  for (const path of user.files.slice(files.length)) collector.addWithLinks({ path, kind: 'gitSettings' })
  return { ...around, user }
}

function addRoot(collector: PlaceCollector, root: string, sources: GitSources): void {
  const listed = list(root)
  if (isBare(listed)) {
    collector.addBareRoot(root, workFolders(root, listed))
    for (const place of placesOfFolder(root, root, sources)) collector.addNamed(place)
  } else {
    for (const [name, kind] of guardedNames) collector.addWatched({ path: join(root, name), kind })
    collector.addWithLinks({ path: join(root, '.git'), kind: 'repository' })
  }
  // The hooks and settings of a repository apply in each of its folders too.
  for (const entry of entriesUp(root)) for (const place of gitPlaces(entry, sources)) collector.addNamed(place)
}

/** Names of git's own entries in a bare repository; other folders may be its work trees. */
const gitEntries = /^(?:branches|hooks|info|lfs|logs|modules|objects|refs|rr-cache|worktrees|\..*)$/

function addBelow(collector: PlaceCollector, { entries, bare }: FoundRepositories, sources: GitSources): void {
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
  /** Links to such a path that are put back when a command replaced them. */
  readonly watched: ReadonlyMap<string, GuardKind>
  /** Missing paths for which no name is reserved: what a command makes there is moved aside. */
  readonly absent: ReadonlyMap<string, GuardKind>
  /** Folders within such a path that stay writable. */
  readonly writable: readonly string[]
}

interface PlaceCollector {
  readonly found: FoundPlaces
  /** Adds the target of a path and the links on the way, which are put back. */
  addWatched(place: GitPlace): void
  /** Adds an existing path as `addWatched` does; a missing one is only looked at after a command. */
  addIfThere(place: GitPlace): void
  /** Adds the target of a path and the links on the way, which must not be replaced at all. */
  addWithLinks(place: GitPlace): void
  /** Adds a path that git's settings name: as `addIfThere` or `addWithLinks` does, as it says itself. */
  addNamed(place: GitPlace): void
  /** Adds a writable folder that is a bare repository. */
  addBareRoot(root: string, workFolders: readonly string[]): void
}

/** Longer paths cannot be opened on any system, and each part of a path is looked at. */
const maxPathLength = 16 * 1024

/** Kinds whose folders hold files that run, each of which may be a link to a file elsewhere. */
const holdingFiles: ReadonlySet<GuardKind> = new Set(['gitHooks', 'gitCommands', 'editor', 'parley'])
const maxLinked = 200

/** Collects the paths that lie within the writable folders. */
function collectPlaces(roots: readonly string[]): PlaceCollector {
  const places = new Map<string, GuardKind>()
  const links = new Map<string, GuardKind>()
  const watched = new Map<string, GuardKind>()
  const absent = new Map<string, GuardKind>()
  const writable: string[] = []
  const entered = new Set<string>()
  const isInside = (path: string) => roots.some((root) => path !== root && isWithin(path, root))

  function add({ path, kind }: GitPlace): readonly string[] {
    if (path.length > maxPathLength) throw new Error(`${path.slice(0, 200)}… is too long a path to follow`)
    const { real, links: passed } = followLinks(path)
    // Links in a circle lead to no place that a mount could close; the links themselves are watched.
    const found = isLink(real) ? [] : placesAt(real, kind, roots).flatMap((place) => reachable(place, roots))
    for (const place of found) if (isInside(place) && !places.has(place)) places.set(place, kind)
    if (holdingFiles.has(kind)) addLinkedFiles(real, kind)
    return passed.filter(isInside)
  }

  /** Adds what links in a guarded folder lead to, wherever the folder lies: it runs as the folder's own files do. */
  function addLinkedFiles(folder: string, kind: GuardKind): void {
    if (entered.has(folder)) return
    entered.add(folder)
    const linked = list(folder).filter((entry) => entry.isSymbolicLink())
    if (linked.length > maxLinked) throw new Error(`${folder} holds too many links to follow`)
    for (const { name } of linked) {
      const path = join(folder, name)
      if (lookAt(followLinks(path).real)?.isDirectory() !== true) addWatched({ path, kind })
    }
  }

  function addWatched(place: GitPlace): void {
    for (const link of add(place)) watched.set(link, place.kind)
  }

  function addIfThere({ path, kind }: GitPlace): void {
    const { real } = path.length > maxPathLength ? { real: path } : followLinks(path)
    if (lookAt(path) !== null || lookAt(real) !== null) addWatched({ path, kind })
    else if (isInside(real)) absent.set(real, kind)
  }

  function addWithLinks(place: GitPlace): void {
    for (const link of add(place)) links.set(link, place.kind)
  }

  return {
    found: { places, links, watched, absent, writable },
    addWatched,
    addIfThere,
    addWithLinks,
    addNamed: (place) => (place.ifThere === true ? addIfThere(place) : addWithLinks(place)),
    addBareRoot(root, workFolders) {
      places.set(root, 'repository')
      writable.push(...workFolders)
    },
  }
}

function isLink(path: string): boolean {
  return lookAt(path)?.isSymbolicLink() === true
}

/** Narrows a path that holds a whole root, which git's settings may name, to the hooks that git runs there. */
function placesAt(real: string, kind: GuardKind, roots: readonly string[]): readonly string[] {
  if (!roots.some((root) => isWithin(root, real))) return [real]
  return kind === 'gitHooks' ? hookNames.map((name) => join(real, name)) : []
}

/** Protected paths for a sandbox. All are real. */
export interface ClosedPlaces {
  /** Existing paths that must not change. */
  readonly kept: readonly string[]
  /** Missing paths that must not be made. The folder of each exists. */
  readonly missing: readonly string[]
  /** Folders within a kept one that stay writable. */
  readonly writable: readonly string[]
}

/** Protected paths for a sandbox that can close files and folders alone. */
export interface GuardedPlaces extends ClosedPlaces {
  /** Links to a kept path that are put back after a command. */
  readonly links: readonly string[]
  /** Missing paths whose names stay free; what a command makes there is moved aside. */
  readonly absent: readonly string[]
}

export const nothingGuarded: GuardedPlaces = { kept: [], missing: [], writable: [], links: [], absent: [] }

/** Finds what a sandbox protects within writable folders. Rejects with a sentence for what it cannot protect. */
export async function guardedPlaces(roots: readonly string[], around: GuardSurroundings): Promise<GuardedPlaces> {
  const { places, links, watched, absent, writable } = await findGuarded(roots, around)
  for (const link of links.keys())
    if (!isClosed(link, places, writable))
      throw new Error(`${link} is a link, which the sandbox cannot keep from being replaced`)
  const kept = new Set<string>()
  const missing = new Set<string>()
  for (const place of places.keys()) {
    const root = roots.find((candidate) => isWithin(place, candidate)) ?? place
    if (isInUse(place)) for (const spelling of spellings(place)) kept.add(spelling)
    else missing.add(firstMissing(place, root))
  }
  const isOpen = (path: string) => !isClosed(path, kept, writable)
  return {
    kept: [...kept],
    missing: [...missing].filter(isOpen),
    writable,
    links: [...watched.keys()].filter(isOpen),
    absent: [...absent.keys()].filter(isOpen),
  }
}

/** Returns the paths for a sandbox that can also close links and missing names. */
export function allClosed({ kept, missing, writable, links, absent }: GuardedPlaces): ClosedPlaces {
  return { kept: [...kept, ...links], missing: [...missing, ...absent], writable }
}

/** Returns the kept paths that lie in no other kept one: those that a mount of their own closes. */
export function outermost({ kept, writable }: ClosedPlaces): string[] {
  const all = new Set(kept)
  return kept.filter((path) => !isClosed(dirname(path), all, writable))
}

/** Returns true within a kept path, but not in a folder of it that stays writable. */
function isClosed(path: string, places: { has(path: string): boolean }, writable: readonly string[]): boolean {
  if (places.has(path)) return true
  if (writable.includes(path)) return false
  const folder = dirname(path)
  return folder !== path && isClosed(folder, places, writable)
}

/** Returns false for a name that another command has reserved: it must be reserved for this one too. */
function isInUse(path: string): boolean {
  return lookAt(path) !== null && !isPlaceholder(path)
}

/** Returns the place, or what must stay as it is instead where nothing can be made there. */
function reachable(place: string, roots: readonly string[]): readonly string[] {
  const root = roots.find((candidate) => isWithin(place, candidate))
  return (root === undefined ? null : blockedBy(place, root)) ?? [place]
}

/**
 * Returns null for a place that exists or can be made; else the file in the way, if any, which must stay what it is. A
 * link may lead nowhere: through a file, in circles, to too long a name.
 */
function blockedBy(place: string, root: string): readonly string[] | null {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true ? [] : null
  } catch {
    const above = dirname(place)
    if (above === root || !isWithin(above, root)) return []
    return blockedBy(above, root) ?? (lookAt(above)?.isFile() === true ? [above] : [])
  }
}

function firstMissing(path: string, root: string): string {
  let missing = path
  for (let at = dirname(path); at !== root && isWithin(at, root); at = dirname(at)) if (!isInUse(at)) missing = at
  return missing
}
