import { isImageName } from '@parley/presentation/composer/at-word'
import { splitShellWords } from '@parley/text'

/** Longest paste that may be paths, in characters, and most images of one. */
const maxCharacters = 4_000
const maxImages = 10

/** Image of a message, which is sent where the text has its mark. */
export interface AttachedImage {
  readonly mark: string
  /** Absolute. */
  readonly path: string
}

/**
 * Returns ways to read a paste as paths of images, the likeliest first: as one path, or as words quoted for a shell or
 * written as `file:` URLs. Empty for any other text.
 */
export function pastedImages(pasted: string): readonly (readonly string[])[] {
  const text = pasted.trim()
  if (text === '' || text.length > maxCharacters) return []
  const whole = /[\n\r]/.test(text) ? [] : [[pathOf(text)]]
  const words = splitShellWords(text).map(pathOf)
  const readings = [...whole, ...(words.length > maxImages ? [] : [words])]
  return readings.filter((paths) => paths.length > 0 && paths.every(isImagePath))
}

function isImagePath(path: string): boolean {
  return isImageName(path) && !/[\x00-\x1f\x7f-\x9f]/.test(path)
}

/** Returns the path of a `file:` URL of this machine; any other text as it is. */
function pathOf(text: string): string {
  const path = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(text)?.[1]
  if (path === undefined) return text
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
