import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { namedImages } from '@parley/presentation/composer/at-word'
import type { ConversationState } from '@parley/protocol'
import { userFolder } from '../cli/folders.ts'

/**
 * Returns the absolute paths of images that a message names by `@` and that exist here. Looks at once, so that messages
 * leave in the order in which they were sent.
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

/** Returns the absolute paths of the first reading whose files all exist; empty if there is none. */
export function existingImages(readings: readonly (readonly string[])[], folder: string): readonly string[] {
  const absolute = readings.map((paths) => paths.map((path) => resolve(folder, path.replace(/^~(?=\/)/, userFolder()))))
  return absolute.find((paths) => paths.every(isFile)) ?? []
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    // A folder on the way that may not be looked into, or a path that is too long.
    return false
  }
}
