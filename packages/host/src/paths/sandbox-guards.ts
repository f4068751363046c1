import { dirname } from 'node:path'
import { isWithin, lookAt, spellings } from '../system/real-path.ts'
import { findGuarded, type GuardSurroundings } from './guarded-paths.ts'
import { isPlaceholder } from './reserved-names.ts'

/** Protected paths for a sandbox. All are real. */
export interface ClosedPaths {
  /** Existing paths that must not change. */
  readonly kept: readonly string[]
  /** Missing paths that must not be made. The folder of each exists. */
  readonly missing: readonly string[]
  /** Folders within a kept one that stay writable. */
  readonly writable: readonly string[]
}

/** Protected paths for a sandbox that can close files and folders alone. */
export interface SandboxGuards extends ClosedPaths {
  /** Links to a kept path that are put back after a command. */
  readonly links: readonly string[]
  /** Missing paths without a reserved name; a file that a command makes there is moved aside. */
  readonly absent: readonly string[]
  /** Kept paths whose exchange by another program is only reported. */
  readonly reportOnly: ReadonlySet<string>
}

export const noSandboxGuards: SandboxGuards = {
  kept: [],
  missing: [],
  writable: [],
  links: [],
  absent: [],
  reportOnly: new Set(),
}

/**
 * Finds the paths that a sandbox protects within writable folders. Rejects with a sentence for a path that it cannot
 * protect.
 */
export async function findSandboxGuards(roots: readonly string[], around: GuardSurroundings): Promise<SandboxGuards> {
  const { places, links, watched, absent, reportOnly, writable } = await findGuarded(roots, around)
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
    reportOnly,
  }
}

/** Returns the paths for a sandbox that can also close links and missing names. */
export function allClosed({ kept, missing, writable, links, absent }: SandboxGuards): ClosedPaths {
  return { kept: [...kept, ...links], missing: [...missing, ...absent], writable }
}

/** Returns the kept paths that lie in no other kept path: each is closed by a mount of its own. */
export function outermost({ kept, writable }: ClosedPaths): string[] {
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

function firstMissing(path: string, root: string): string {
  let missing = path
  for (let at = dirname(path); at !== root && isWithin(at, root); at = dirname(at)) if (!isInUse(at)) missing = at
  return missing
}
