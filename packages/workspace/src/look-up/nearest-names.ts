import { basename, dirname } from 'node:path'
import type { PlaceFiles } from '../environment/place-files.ts'
import { isMissing } from '../paths/system-error.ts'
import { likeness } from './likeness.ts'

const maxNames = 5
const maxNamesLookedAt = 5000
const leastLikeness = 0.4

/** Names that someone may have meant by `wanted`, best first. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, score: likeness(wanted, name) }))
    .filter(({ score }) => score >= leastLikeness)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, maxNames)
    .map(({ name }) => name)
}

/**
 * The sentence that follows "… does not exist.": similar names beside the missing one, or the first folder of the
 * path that is missing. Empty when there is nothing to say.
 */
export async function suggestForMissing(absolute: string, files: PlaceFiles): Promise<string> {
  const folder = dirname(absolute)
  const names = await namesIn(folder, files)
  if (names === null) {
    const missing = await firstMissingFolder(folder, files)
    return ` The folder ${missing} does not exist either.${await suggestForMissing(missing, files)}`
  }
  const near = nearestNames(basename(absolute), names)
  return near.length === 0 ? '' : ` Similar names there: ${near.join(', ')}.`
}

async function firstMissingFolder(folder: string, files: PlaceFiles): Promise<string> {
  const parent = dirname(folder)
  if (parent === folder || (await namesIn(parent, files)) !== null) return folder
  return firstMissingFolder(parent, files)
}

/** Null when there is no such folder; empty when it may not be read. */
async function namesIn(folder: string, files: PlaceFiles): Promise<string[] | null> {
  try {
    const { entries } = await files.list(folder, maxNamesLookedAt)
    return entries.map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name))
  } catch (error) {
    return isMissing(error) ? null : []
  }
}
