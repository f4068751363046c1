import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ConversationState } from '@parley/protocol'
import { namedImages } from '../ui/complete/at-word.ts'

/**
 * Returns the absolute paths of images that a message names by `@` and that exist here. Looks at once, so that messages
 * leave in the order in which they were sent.
 */
export function attachedImages(text: string, { core }: Pick<ConversationState, 'core'>): readonly string[] {
  if (core.settings.environment !== undefined) return []
  return namedImages(text)
    .map((path) => resolve(core.meta.cwd, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
}
