import { isWithin } from '../../system/paths.ts'
import { type FoundPlaces, findGuarded, type GuardSurroundings } from './find-guarded.ts'
import { type GuardKind, guardedAtHome, guardedNames } from './guarded-names.ts'
/** Returns why a path in writable folders must not change; null when it may. Absolute, as written or real. */
export type Guard = (path: string) => GuardKind | null

/** Creates a guard for tools that write: protects what a sandbox protects, and names at any depth. Never rejects. */
export async function guardFor(roots: readonly string[], around: GuardSurroundings): Promise<Guard> {
  const byName = guardByName(roots, around.home)
  const byPlace = await findGuarded(roots, around).then(guardByPlace, () => () => 'unknown' as const)
  return (path) => byName(path) ?? (roots.some((root) => isWithin(path, root)) ? byPlace(path) : null)
}

/** Compares without case, because some file systems ignore it. */
function guardByPlace({ places, links, writable }: FoundPlaces): Guard {
  const guarded = [...places, ...links].map(([path, kind]) => ({ folded: path.toLowerCase(), kind }))
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

/** Creates a guard by names alone, below the innermost root: the workspace itself may lie in a folder of such a name. */
export function guardByName(roots: readonly string[], home: string): Guard {
  return (path) => {
    const root = roots.filter((each) => isWithin(path, each)).sort((a, b) => b.length - a.length)[0] ?? null
    const [top = ''] = namesIn(path.slice(home.length))
    const isAtHome = root !== null && isWithin(home, root) && isWithin(path, home)
    if (isAtHome && (startFile.test(top) || guardedAtHome.some((name) => name === top))) return 'atStart'
    const names = namesIn(root === null ? path : path.slice(root.length))
    const name = names.find((each) => each === '.git' || guardedNames.has(each))
    return name === undefined ? null : (guardedNames.get(name) ?? 'repository')
  }
}

function namesIn(path: string): string[] {
  return path
    .split('/')
    .filter((name) => name !== '')
    .map((name) => name.toLowerCase())
}
