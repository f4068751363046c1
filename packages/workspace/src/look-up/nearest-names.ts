import { basename, dirname } from 'node:path'
import { isMissing } from '@parley/text'
import type { EnvironmentFiles } from '../files/environment-files.ts'

const maxNames = 5
const maxNamesLookedAt = 5000
const leastLikeness = 0.4

/** Returns names similar to `wanted`, best first. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, score: likeness(wanted, name) }))
    .filter(({ score }) => score >= leastLikeness)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, maxNames)
    .map(({ name }) => name)
}

/**
 * Returns the sentence that follows "… does not exist.": similar names in the same folder, or the first missing folder of
 * the path. Starts with a space; empty when there is no suggestion.
 */
export async function suggestForMissing(absolute: string, files: EnvironmentFiles): Promise<string> {
  const folder = dirname(absolute)
  const names = await namesIn(folder, files)
  if (names === null) {
    const missing = await firstMissingFolder(folder, files)
    return ` The folder ${missing} does not exist either.${await suggestForMissing(missing, files)}`
  }
  const near = nearestNames(basename(absolute), names)
  return near.length === 0 ? '' : ` Similar names there: ${near.join(', ')}.`
}

async function firstMissingFolder(folder: string, files: EnvironmentFiles): Promise<string> {
  const parent = dirname(folder)
  if (parent === folder || (await namesIn(parent, files)) !== null) return folder
  return firstMissingFolder(parent, files)
}

/** Lists a folder; null when it does not exist, empty when it cannot be read. */
async function namesIn(folder: string, files: EnvironmentFiles): Promise<string[] | null> {
  try {
    const { entries } = await files.list(folder, maxNamesLookedAt)
    return entries.map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name))
  } catch (error) {
    return isMissing(error) ? null : []
  }
}

/** Texts up to this length are compared by letters: one swapped letter changes nearly all of their pairs. */
const shortLength = 5

/** Returns the similarity of two texts from 0 to 1: the share of common letter pairs, ignoring blanks and case. */
export function likeness(a: string, b: string): number {
  const [left, right] = [fold(a), fold(b)]
  const width = Math.min(left.length, right.length) <= shortLength ? 1 : 2
  const [leftParts, rightParts] = [partsOf(left, width), partsOf(right, width)]
  if (leftParts.count === 0 || rightParts.count === 0) return left === right ? 1 : 0
  let common = 0
  for (const [part, times] of leftParts.times) common += Math.min(times, rightParts.times.get(part) ?? 0)
  return (2 * common) / (leftParts.count + rightParts.count)
}

function fold(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase()
}

function partsOf(text: string, width: number): { readonly times: ReadonlyMap<string, number>; readonly count: number } {
  const times = new Map<string, number>()
  const count = Math.max(0, text.length - width + 1)
  for (let index = 0; index < count; index++) {
    const part = text.slice(index, index + width)
    times.set(part, (times.get(part) ?? 0) + 1)
  }
  return { times, count }
}
