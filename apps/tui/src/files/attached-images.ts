import { readFileSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { ConversationState, InputItem } from '@parley/protocol'
import { misused } from '../cli/exit-codes.ts'
import { userFolder } from '../cli/folders.ts'
import { systemCause } from '../cli/messages.ts'
import { namedImages } from '../ui/complete/at-word.ts'

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

/** Returns an image as a message has it. A server on another machine gets what the file holds; it finds out its kind. */
export function imageInput(path: string, isFar: boolean): InputItem & { readonly type: 'image' } {
  if (!isFar) return { type: 'image', path }
  try {
    return { type: 'image', url: `data:${imageKind(path)};base64,${readFileSync(path).toString('base64')}` }
  } catch (error) {
    throw misused(`The image ${path} cannot be read: ${systemCause(error)}.`)
  }
}

function imageKind(path: string): string {
  const kind = extname(path).slice(1).toLowerCase()
  return `image/${kind === 'jpg' ? 'jpeg' : kind || 'png'}`
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
