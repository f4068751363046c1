import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { entriesIn } from '../system/list-folder.ts'
import { followLinks, isWithin, lookAt } from '../system/real-path.ts'
import { type GuardKind, hookNames } from './guarded-names.ts'

/** Protected paths within writable folders, by real path. */
export interface GuardedPaths {
  /** Paths protected with all that is in them, whether they exist or not. */
  readonly places: ReadonlyMap<string, GuardKind>
  /** Links to such a path; replaced, they would lead elsewhere. */
  readonly links: ReadonlyMap<string, GuardKind>
  /** Links to such a path that are put back when a command replaced them. */
  readonly watched: ReadonlyMap<string, GuardKind>
  /** Missing paths without a reserved name: a file that a command makes there is moved aside. */
  readonly absent: ReadonlyMap<string, GuardKind>
  /** Existing paths that people change at any time: an exchange by another program is only reported. */
  readonly reportOnly: ReadonlySet<string>
  /** Folders within such a path that stay writable. */
  readonly writable: readonly string[]
}

/** Path to protect, whether it exists or not. Links in it are not followed yet. */
interface GuardedPath {
  readonly path: string
  readonly kind: GuardKind
  /** True where a missing path keeps no name from being made. */
  readonly ifThere?: true
}

export interface GuardedPathCollector {
  readonly found: GuardedPaths
  /** Adds the target of a path and the links on the way, which are put back. */
  addWatched(place: GuardedPath): void
  /** Adds an existing path as `addWatched` does; a missing one is only looked at after a command. */
  addIfThere(place: GuardedPath): void
  /**
   * Adds an existing path as `addWatched` does, and only reports its exchange; adds a missing one as `addIfThere` does.
   */
  addReportOnly(place: GuardedPath): void
  /** Adds a path in a writable folder that is known to be missing. */
  addMissing(place: GuardedPath): void
  /** Adds the target of a path and the links on the way, which must not be replaced at all. */
  addWithLinks(place: GuardedPath): void
  /** Adds a path that git's settings name, as `addIfThere` or `addWithLinks` does, by its own `ifThere`. */
  addNamed(place: GuardedPath): void
  /** Adds a writable folder that is a bare repository. */
  addBareRoot(root: string, workFolders: readonly string[]): void
}

/** Longer paths cannot be opened on any system, and each part of a path is looked at. */
const maxPathLength = 16 * 1024

/** Kinds of folders with files that run; each file may be a link to another place. */
const holdingFiles: ReadonlySet<GuardKind> = new Set(['gitHooks', 'gitCommands', 'editor', 'parley'])
const maxLinked = 200

/** Collects the paths that lie within the writable folders. */
export function collectGuardedPaths(roots: readonly string[]): GuardedPathCollector {
  const places = new Map<string, GuardKind>()
  const links = new Map<string, GuardKind>()
  const watched = new Map<string, GuardKind>()
  const absent = new Map<string, GuardKind>()
  const reportOnly = new Set<string>()
  const writable: string[] = []
  const entered = new Set<string>()
  const isInside = (path: string) => roots.some((root) => path !== root && isWithin(path, root))

  function add({ path, kind }: GuardedPath): readonly string[] {
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
    const linked = (entriesIn(folder) ?? []).filter((entry) => entry.isSymbolicLink())
    if (linked.length > maxLinked) throw new Error(`${folder} holds too many links to follow`)
    for (const { name } of linked) {
      const path = join(folder, name)
      if (lookAt(followLinks(path).real)?.isDirectory() !== true) addWatched({ path, kind })
    }
  }

  function addWatched(place: GuardedPath): void {
    for (const link of add(place)) watched.set(link, place.kind)
  }

  function addIfThere({ path, kind }: GuardedPath): void {
    const { real } = path.length > maxPathLength ? { real: path } : followLinks(path)
    if (lookAt(path) !== null || lookAt(real) !== null) addWatched({ path, kind })
    else if (isInside(real)) absent.set(real, kind)
  }

  function addReportOnly(place: GuardedPath): void {
    const before = new Set(places.keys())
    addIfThere(place)
    for (const path of places.keys()) if (!before.has(path)) reportOnly.add(path)
  }

  function addWithLinks(place: GuardedPath): void {
    for (const link of add(place)) links.set(link, place.kind)
  }

  return {
    found: { places, links, watched, absent, reportOnly, writable },
    addWatched,
    addIfThere,
    addReportOnly,
    addMissing: ({ path, kind }) => absent.set(path, kind),
    addWithLinks,
    addNamed: (place) => (place.ifThere === true ? addIfThere(place) : addWithLinks(place)),
    addBareRoot(root, workFolders) {
      places.set(root, 'repository')
      for (const folder of workFolders) writable.push(folder)
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

/** Returns the place, or what must stay as it is instead where nothing can be made there. */
function reachable(place: string, roots: readonly string[]): readonly string[] {
  const root = roots.find((candidate) => isWithin(place, candidate))
  return (root === undefined ? null : blockedBy(place, root)) ?? [place]
}

/**
 * Returns null for a place that exists or can be made; else the file in the way, if any, which must stay as it is. A
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
