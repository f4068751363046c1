import { formatBytes } from '@parley/presentation/text/formats'
import { dataUrlOf } from '../../link/read-file.ts'

/** Image that goes with the next message. */
export interface PickedImage {
  readonly key: string
  readonly name: string
  /** `data:` URL. */
  readonly url: string
}

/** Types that the server takes. */
export const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Largest image that the server takes, in bytes. */
const maxImageBytes = 10 << 20
/** Most characters of all images of a message: a frame of the link may have 32 MiB. */
const maxCharacters = 30 << 20

export interface Picked {
  readonly images: readonly PickedImage[]
  /** Sentences about files that were not taken. */
  readonly problems: readonly string[]
}

/** Reads images for a message that has some already. */
export async function pickImages(files: readonly File[], before: readonly PickedImage[]): Promise<Picked> {
  const images: PickedImage[] = []
  const problems: string[] = []
  let characters = before.reduce((sum, { url }) => sum + url.length, 0)
  for (const file of files) {
    const problem = problemOf(file)
    const url = problem === null ? await dataUrlOf(file) : ''
    if (problem !== null) problems.push(problem)
    else if (characters + url.length > maxCharacters)
      problems.push(`${file.name} does not fit in this message: its images are more than 22 MB. Send it with the next.`)
    else {
      characters += url.length
      images.push({ key: crypto.randomUUID(), name: file.name === '' ? 'image' : file.name, url })
    }
  }
  return { images, problems }
}

function problemOf({ name, type, size }: File): string | null {
  if (!imageTypes.includes(type)) return `${name} is not a PNG, JPEG, GIF or WebP image. Convert it first.`
  return size > maxImageBytes
    ? `${name} has ${formatBytes(size)}; an image may have 10 MB. Make it smaller first.`
    : null
}
