import type { FileList } from './file-list.ts'

/** A path and its rank: the lower the better. */
interface Ranked {
  readonly path: string
  readonly rank: number
}

const maxMatches = 50
/** Distance between two kinds of matches; within one the shorter path is better. */
const kindStep = 10_000

/**
 * Returns the paths that match a query, the best first: names in the folder, other names, paths that contain the query,
 * paths with its letters in order. A query that ends in a slash, or an empty one, lists the folder.
 */
export function matchPaths({ paths, lowered, count }: FileList, query: string): readonly string[] {
  const rankOf = ranking(query.toLowerCase())
  const best: Ranked[] = []
  for (let index = 0; index < count; index++) {
    const worst = best.length < maxMatches ? Number.POSITIVE_INFINITY : (best.at(-1)?.rank ?? 0)
    const rank = rankOf(lowered[index] ?? '', worst)
    if (rank !== null) keepBest(best, { path: paths[index] ?? '', rank })
  }
  return best.map(({ path }) => path)
}

/** Inserts a match in order; drops the worst beyond the limit. */
function keepBest(best: Ranked[], next: Ranked): void {
  const last = best.at(-1)
  if (last !== undefined && best.length === maxMatches && !isBefore(next, last)) return
  let at = best.length
  for (let before = best[at - 1]; before !== undefined && isBefore(next, before); before = best[at - 1]) at -= 1
  best.splice(at, 0, next)
  if (best.length > maxMatches) best.pop()
}

function isBefore(one: Ranked, other: Ranked): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.path < other.path)
}

/** Returns the function that ranks a path in lower case; null for no match, or for one worse than `worst`. */
function ranking(query: string): (path: string, worst: number) => number | null {
  const folder = query.slice(0, query.lastIndexOf('/') + 1)
  const name = query.slice(folder.length)
  if (name === '') return (path) => (isChild(path, folder) ? childRank(path) : null)
  return (path, worst) => {
    const isOwn = isChild(path, folder) && path.startsWith(name, folder.length)
    const kind = isOwn ? 0 : kindOf(path, query, worst)
    return kind === null ? null : kind * kindStep + path.length
  }
}

function isChild(path: string, folder: string): boolean {
  if (path.length === folder.length || !path.startsWith(folder)) return false
  const slash = path.indexOf('/', folder.length)
  return slash === -1 || slash === path.length - 1
}

/** Ranks folders before files and hidden entries last; equal ranks are sorted by name. */
function childRank(path: string): number {
  const isHidden = path.charAt(path.lastIndexOf('/', path.length - 2) + 1) === '.'
  return (isHidden ? 2 : 0) + (path.endsWith('/') ? 0 : 1)
}

function kindOf(path: string, query: string, worst: number): number | null {
  // A folder ends in a slash, before which its name begins.
  const nameAt = path.lastIndexOf('/', path.length - 2) + 1
  if (path.startsWith(query, nameAt)) return 1
  const at = path.indexOf(query, nameAt)
  if (at !== -1) return isWordStart(path, at) ? 2 : 3
  if (path.includes(query)) return 4
  if (worst < 5 * kindStep) return null
  if (hasInOrder(path, query, nameAt)) return 5
  return hasInOrder(path, query, 0) ? 6 : null
}

function isWordStart(path: string, at: number): boolean {
  return '-_. /'.includes(path.charAt(at - 1))
}

/** Returns true if the path has all letters of the query in order, from the offset on. */
function hasInOrder(path: string, query: string, from: number): boolean {
  let found = 0
  // A loop over codes: fifty thousand paths are looked at between two keys.
  for (let at = from; at < path.length && found < query.length; at++) {
    if (path.charCodeAt(at) === query.charCodeAt(found)) found += 1
  }
  return found === query.length
}
