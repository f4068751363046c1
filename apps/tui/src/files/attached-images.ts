import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { namedImages } from '@parley/presentation/composer/at-word'
import type { ConversationState } from '@parley/protocol'
import { userFolder } from '../cli/folders.ts'

/**
 * Returns the absolute paths of existing images that a message names with `@`; empty where the files are on another
 * machine. Synchronous, so that messages leave in the order of sending.
 */
export function attachedImages(
  text: string,
  { core }: Pick<ConversationState, 'core'>,
  isFar: boolean,
): readonly string[] {
  if (isFar || core.settings.environment !== undefined) return []
  return namedImages(text)
    .map((path) => resolve(core.meta.cwd, path))
    .filter(isFile)
}

/** Returns the absolute paths of the first reading with existing files only; empty if no reading fits. */
export function existingImages(readings: readonly (readonly string[])[], folder: string): readonly string[] {
  const absolute = readings.map((paths) => paths.map((path) => resolve(folder, path.replace(/^~(?=\/)/, userFolder()))))
  return absolute.find((paths) => paths.every(isFile)) ?? []
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    // A parent folder may not be read, or the path is too long.
    return false
  }
}
