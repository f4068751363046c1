import { join } from 'node:path'
import { isWithin } from '../is-within.ts'
import { followLinks } from './follow-links.ts'
import type { GitPlace } from './git-places.ts'
import type { GuardKind } from './guard-kinds.ts'
import { hookNames } from './hook-names.ts'

/** Within writable folders, by real path. */
export interface FoundPlaces {
  /** Stay as they are with all that is in them, whether they exist or not. */
  readonly places: ReadonlyMap<string, GuardKind>
  /** Lead to such a place, so another one in their stead would lead elsewhere. */
  readonly links: ReadonlyMap<string, GuardKind>
  /** Within such a place, but work goes on there. */
  readonly writable: readonly string[]
}

export interface PlaceCollector {
  readonly found: FoundPlaces
  /** A place as it is written: what it leads to counts. Throws a sentence for a path that is too long. */
  add(place: GitPlace): void
  /** As `add`, and the links on the way count too. */
  addWithLinks(place: GitPlace): void
  /** A writable folder that is a repository itself. */
  addBareRoot(root: string, workFolders: readonly string[]): void
}

/** Longer ones no system opens, and each part of a path is looked at. */
const maxPathLength = 16 * 1024

/** Sorts out what of the places lies within the writable folders. */
export function collectPlaces(roots: readonly string[]): PlaceCollector {
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

/** A repository's settings can name any place, such as the whole workspace: of that only what git runs there counts. */
function placesAt(real: string, kind: GuardKind, roots: readonly string[]): readonly string[] {
  if (!roots.some((root) => isWithin(root, real))) return [real]
  return kind === 'gitHooks' ? hookNames.map((name) => join(real, name)) : []
}
