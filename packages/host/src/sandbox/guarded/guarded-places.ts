import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isWithin } from '../../system/paths.ts'
import { findGuarded, type GuardSurroundings } from './find-guarded.ts'
import { isPlaceholder } from './reserved-names.ts'

/** Paths are real. */
export interface GuardedPlaces {
  /** They are there and stay as they are. */
  readonly kept: readonly string[]
  /** They are not there, and are not to be made. The folder of each is there. */
  readonly missing: readonly string[]
  /** Within a folder that is kept, but work goes on there. */
  readonly writable: readonly string[]
}

/** Finds what a sandbox keeps as it is within writable folders. Rejects with a sentence for what cannot be kept so. */
export async function guardedPlaces(roots: readonly string[], around: GuardSurroundings): Promise<GuardedPlaces> {
  const { places, links, writable } = await findGuarded(roots, around)
  for (const link of links.keys())
    if (!isClosed(link, places, writable))
      throw new Error(`${link} is a link, which the sandbox cannot keep from being replaced`)
  const kept = new Set<string>()
  const missing = new Set<string>()
  for (const place of places.keys()) {
    const root = roots.find((candidate) => isWithin(place, candidate)) ?? place
    if (isTaken(place)) for (const spelling of spellings(place)) kept.add(spelling)
    else missing.add(firstMissing(place, root))
  }
  return { kept: [...kept], missing: [...missing].filter((path) => !isClosed(path, kept, writable)), writable }
}

/** True in a place that is kept, but not in a folder of it where work goes on. */
function isClosed(path: string, places: { has(path: string): boolean }, writable: readonly string[]): boolean {
  if (places.has(path)) return true
  if (writable.includes(path)) return false
  const folder = dirname(path)
  return folder !== path && isClosed(folder, places, writable)
}

/** Not so a name that another command holds: it must be held for this one too. */
function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlaceholder(path)
}

function firstMissing(path: string, root: string): string {
  let missing = path
  for (let at = dirname(path); at !== root && isWithin(at, root); at = dirname(at)) if (!isTaken(at)) missing = at
  return missing
}

/** Of more letters there would be too many. */
const maxLetters = 6

/** Where the file system does not tell upper from lower case, the ways in which the name of something that is there may be written. */
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
