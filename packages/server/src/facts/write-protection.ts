import { guardedAtHome } from '@parley/host'
import { componentsOf } from '../core/policy/path-text.ts'
import { protectionOf } from '../core/policy/protected-names.ts'
import { liesWithin } from '../lookup/workspace-path.ts'
import { isSecret, type SecretPlaces } from './secret-places.ts'

export interface Writable {
  /** The writable folders, absolute. */
  readonly roots: readonly string[]
  readonly secrets: SecretPlaces
  /** The user's home: its start-up files are protected even when it is a writable folder. */
  readonly home: string
}

/** More than the sandbox guards by name: it cannot guard a pattern. */
const startFile = /^\.(?:bash.*|zsh.*)$/

/** Compared without case: some file systems do not see it. */
function isReadAtStart(nameAtHome: string): boolean {
  const folded = nameAtHome.toLowerCase()
  return startFile.test(folded) || guardedAtHome.some((name) => name === folded)
}

/**
 * Why a place is not written to without a question though it may lie in a writable folder, or null. Names count below
 * the root only: a workspace may itself lie in a folder of such a name.
 */
export function writeProtection(place: string, { secrets, home, roots }: Writable): string | null {
  if (isSecret(place, secrets)) return 'lies where secrets are kept'
  const root = rootOf(place, roots)
  const below = componentsOf(root === null ? place : place.slice(root.length))
  const homeIsWritable = root !== null && liesWithin(home, root)
  const [top = ''] = componentsOf(place.slice(home.length))
  if (homeIsWritable && liesWithin(place, home) && isReadAtStart(top)) return 'is read when programs start'
  return protectionOf(below)
}

/** The innermost root that holds a path. */
export function rootOf(path: string, roots: readonly string[]): string | null {
  const holding = roots.filter((root) => liesWithin(path, root)).sort((a, b) => b.length - a.length)
  return holding[0] ?? null
}
