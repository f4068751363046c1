import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isWithin } from '../../system/paths.ts'
import { findGuarded, type GuardSurroundings } from './find-guarded.ts'
import { isPlaceholder } from './reserved-names.ts'

/** Protected paths for a sandbox. All are real. */
export interface GuardedPlaces {
  /** Existing paths that must not change. */
  readonly kept: readonly string[]
  /** Missing paths that must not be made. The folder of each exists. */
  readonly missing: readonly string[]
  /** Folders within a kept one that stay writable. */
  readonly writable: readonly string[]
}

/** Finds what a sandbox protects within writable folders. Rejects with a sentence for what it cannot protect. */
export async function guardedPlaces(roots: readonly string[], around: GuardSurroundings): Promise<GuardedPlaces> {
  const { places, links, writable } = await findGuarded(roots, around)
  for (const link of links.keys())
    if (!isClosed(link, places, writable))
      throw new Error(`${link} is a link, which the sandbox cannot keep from being replaced`)
  const kept = new Set<string>()
  const missing = new Set<string>()
  for (const place of places.keys()) {
    const root = roots.find((candidate) => isWithin(place, candidate)) ?? place
    const blocked = blockedBy(place, root)
    if (blocked !== null) for (const path of blocked) kept.add(path)
    else if (isInUse(place)) for (const spelling of spellings(place)) kept.add(spelling)
    else missing.add(firstMissing(place, root))
  }
  return { kept: [...kept], missing: [...missing].filter((path) => !isClosed(path, kept, writable)), writable }
}

/**
 * Returns null for a place that exists or can be made. A link that leads through a file, in circles or to too long a name
 * leads to none: nothing can be mounted there, and only the file in the way, if any, must stay what it is.
 */
function blockedBy(place: string, root: string): readonly string[] | null {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true ? [] : null
  } catch {
    const above = dirname(place)
    if (above === root || !isWithin(above, root)) return []
    return blockedBy(above, root) ?? (lstatSync(above, { throwIfNoEntry: false })?.isFile() === true ? [above] : [])
  }
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
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlaceholder(path)
}

function firstMissing(path: string, root: string): string {
  let missing = path
  for (let at = dirname(path); at !== root && isWithin(at, root); at = dirname(at)) if (!isInUse(at)) missing = at
  return missing
}

/** Letters of a name for which all spellings are listed; more give too many. */
const maxLetters = 6

/** Lists the spellings of an existing path on a file system that ignores case; elsewhere only the path itself. */
export function spellings(path: string): string[] {
  const folder = dirname(path)
  const name = basename(path)
  const upper = name.toUpperCase()
  if (upper === name || !isSame(path, join(folder, upper))) return [path]
  return [...new Set([name, ...variantsOf(name), upper])].map((each) => join(folder, each))
}

export function variantsOf(name: string): string[] {
  const letters = [...name]
  if (letters.filter((letter) => letter.toUpperCase() !== letter.toLowerCase()).length > maxLetters) return []
  return letters.reduce<string[]>(
    (starts, letter) => {
      const forms = [...new Set([letter.toLowerCase(), letter.toUpperCase()])]
      return starts.flatMap((start) => forms.map((form) => start + form))
    },
    [''],
  )
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [path, other].map((at) => lstatSync(at, { throwIfNoEntry: false }))
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
}
