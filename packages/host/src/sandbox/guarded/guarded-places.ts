import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isWithin } from '../is-within.ts'
import { isBare } from './find-repositories.ts'
import { gitPlaces, placesOfFolder, real } from './git-places.ts'
import { guardedAtHome, guardedNames } from './guarded-names.ts'
import { isStandIn } from './hold-names.ts'
import { knownRepositories } from './known-repositories.ts'
import { spellings } from './spellings.ts'

/** Paths are real. */
export interface GuardedPlaces {
  /** They are there and stay as they are. */
  readonly kept: readonly string[]
  /** They are not there, and are not to be made. The folder of each is there. */
  readonly missing: readonly string[]
  /** Within a folder that is kept, but work goes on there. */
  readonly writable: readonly string[]
}

/** What of a repository that is a folder by itself is git's own; beside it may be its work trees. */
const ofGit = /^(?:branches|hooks|info|lfs|logs|modules|objects|refs|rr-cache|worktrees|\..*)$/

/** What stays as it is within folders that may be written to. Rejects with a sentence for what cannot be kept so. */
export async function guardedPlaces(roots: readonly string[], home: string): Promise<GuardedPlaces> {
  const kept = new Set<string>()
  const missing = new Set<string>()
  const writable: string[] = []
  const guard = (path: string) => {
    const place = real(path)
    const root = roots.find((candidate) => place !== candidate && isWithin(place, candidate))
    // A repository's settings can name any place, such as the whole workspace.
    if (root === undefined || roots.some((candidate) => isWithin(candidate, place))) return
    if (isTaken(place)) for (const spelling of spellings(place)) kept.add(spelling)
    else missing.add(firstMissing(place, root))
  }
  const guardRepository = (entry: string) => {
    guard(entry)
    gitPlaces(entry).forEach(guard)
  }
  for (const root of roots) {
    const listed = list(root)
    if (isBare(listed)) {
      kept.add(root)
      writable.push(...workFolders(root, listed))
      placesOfFolder(root).filter(exists).forEach(guard)
    } else {
      assertNoLink(join(root, '.git'))
      for (const name of guardedNames) guard(join(root, name))
      guardRepository(join(root, '.git'))
    }
    const found = await knownRepositories(root)
    found.entries.forEach(guardRepository)
    found.bare.forEach(guard)
    if (isWithin(home, root)) for (const name of guardedAtHome) guard(join(home, name))
  }
  const toHold = [...missing].filter((path) => !liesInKept(path, kept))
  return { kept: [...kept], missing: toHold, writable }
}

function liesInKept(path: string, kept: ReadonlySet<string>): boolean {
  return [...kept].some((place) => isWithin(path, place))
}

/** What would stand in its place would be obeyed by the next git. */
function assertNoLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return
  throw new Error(`${path} is a link, which the sandbox cannot keep from being replaced`)
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

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Not so a name that another command holds: it must be held for this one too. */
function isTaken(path: string): boolean {
  return exists(path) && !isStandIn(path)
}

function firstMissing(path: string, root: string): string {
  let missing = path
  for (let at = dirname(path); at !== root && isWithin(at, root); at = dirname(at)) if (!isTaken(at)) missing = at
  return missing
}
