import { partsOfFutureRepositories } from '../git/future-repositories.ts'
import { followLinks, isWithin, lookAt } from '../system/real-path.ts'
import { guardOfAutoRunName } from './auto-run-names.ts'
import type { GuardedPaths } from './collect-guarded-paths.ts'
import { alsoAtHome, type GuardKind, guardedAtHome } from './guarded-names.ts'
import { findGuarded, type GuardSurroundings } from './guarded-paths.ts'

/** Standing of one path: where it leads, and whether it may change. */
export interface PathStanding {
  /** Absolute path as it was given. */
  readonly written: string
  /** Path where a write lands: links followed, dangling ones too. Null when links lead in a circle. */
  readonly real: string | null
  /** Innermost writable folder that holds `real`; null outside of all. */
  readonly root: string | null
  /** Reason that the path must not change without a question; null where it may. */
  readonly guard: GuardKind | null
  /** Number of names of an existing file; 1 for a missing one and where it is unknown. */
  readonly names: number
}

/** Returns why a path in writable folders must not change; null when it may. Absolute, as written or real. */
export type Guard = (path: string) => GuardKind | null

/**
 * Examines writable folders, given by real paths, to answer questions about paths at this time. Never rejects.
 * `together`: paths that change in one step, which may make a folder a repository though no single one does. `guardOf`
 * compares a path as it is written.
 */
export async function openPathStandings(
  roots: readonly string[],
  around: GuardSurroundings,
  together: readonly string[] = [],
): Promise<{ standingOf(written: string): PathStanding; readonly guardOf: Guard }> {
  const byName = guardByName(roots, around.home)
  const byPlace = await findGuarded(roots, around).then(guardByPlace, () => () => 'unknown' as const)
  const isPartOfRepository = partsOfFutureRepositories(
    [...together, ...together.map((path) => followLinks(path).real)],
    roots,
  )
  const inRoots: Guard = (path) => byPlace(path) ?? (isPartOfRepository(path) ? 'repository' : null)
  const guardOf: Guard = (path) => byName(path) ?? (roots.some((root) => isWithin(path, root)) ? inRoots(path) : null)
  return {
    guardOf,
    standingOf(written) {
      const real = realOf(written)
      const stat = lookAt(real ?? written)
      return {
        written,
        real,
        root: real === null ? null : rootOf(real, roots),
        guard: guardOf(written) ?? (real === null ? 'unknown' : guardOf(real)),
        names: stat?.isFile() === true ? Number(stat.nlink) : 1,
      }
    },
  }
}

/** Returns null for links in a circle, through which nothing can be written. */
function realOf(written: string): string | null {
  const { real } = followLinks(written)
  return lookAt(real)?.isSymbolicLink() === true ? null : real
}

/** Returns the innermost folder that contains a path, or null. */
export function rootOf(path: string, roots: readonly string[]): string | null {
  const holding = roots.filter((root) => isWithin(path, root)).sort((a, b) => b.length - a.length)
  return holding[0] ?? null
}

/** Compares without case, because some file systems ignore it. */
function guardByPlace({ places, links, watched, absent, writable }: GuardedPaths): Guard {
  const guarded = [...places, ...links, ...watched, ...absent].map(([path, kind]) => ({
    folded: path.toLowerCase(),
    kind,
  }))
  return (path) => {
    const folded = path.toLowerCase()
    const holding = guarded.filter((place) => isWithin(folded, place.folded))
    const inner = holding.reduce((one, other) => (other.folded.length > one.folded.length ? other : one), outside)
    const isWorkedIn = writable.some((folder) => isWithin(path, folder) && folder.length > inner.folded.length)
    return isWorkedIn ? null : inner.kind
  }
}

const outside: { readonly folded: string; readonly kind: GuardKind | null } = { folded: '', kind: null }

/** Start files of shells; a sandbox protects fewer of them, because it cannot protect a pattern. */
const startFile = /^\.(?:bash.*|zsh.*)$/

const namesAtHome: ReadonlySet<string> = new Set([...guardedAtHome, ...alsoAtHome].map((name) => name.toLowerCase()))

/** Creates a guard by names alone, below the innermost root: the workspace itself may lie in a folder of such a name. */
export function guardByName(roots: readonly string[], home: string): Guard {
  return (path) => {
    const root = rootOf(path, roots)
    const isAtHome = root !== null && isWithin(home, root) && isWithin(path, home)
    const [top = '', next = ''] = isAtHome ? namesIn(path.slice(home.length)) : []
    if (startFile.test(top) || namesAtHome.has(top) || namesAtHome.has(`${top}/${next}`)) return 'atStart'
    const below = root === null ? path : path.slice(root.length)
    return namesIn(below).includes('.git') ? 'repository' : guardOfAutoRunName(below)
  }
}

function namesIn(path: string): string[] {
  return path
    .split('/')
    .filter((name) => name !== '')
    .map((name) => name.toLowerCase())
}
