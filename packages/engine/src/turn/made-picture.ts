import type { ModelEvent } from '@parley/models'
import type { ItemOf } from '@parley/protocol'
import type { SideFiles } from '../conversation/side-files.ts'
import { imageProblem } from '../core/image-facts.ts'
import { imageTypeOf } from '../core/image-form.ts'
import { describeImage } from '../tools/contract/command-output.ts'

type MadePicture = Extract<ModelEvent, { type: 'picture' | 'pictureText' }>

/** Message about a picture: its text, and the picture where it is kept. */
export type PictureMessage = Required<Pick<ItemOf<'agentMessage'>, 'text' | 'images'>>

/** Keeps a picture that a model made. Bytes that are no whole image are not kept, and the message says it. */
export async function keepPicture(made: MadePicture, sideFiles: Pick<SideFiles, 'put'>): Promise<PictureMessage> {
  if (made.type === 'pictureText') return { text: made.text, images: [] }
  const { mediaType: said, base64 } = made
  const bytes = Buffer.from(base64, 'base64')
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null)
    return {
      text: `(The model made ${said || 'a file'} of ${bytes.length} bytes, which is no PNG, JPEG, GIF or WebP image; it is not kept.)`,
      images: [],
    }
  const problem = imageProblem('The picture of the model', bytes, keptLimits)
  if (problem !== null) return { text: `(${problem})`, images: [] }
  const file = await sideFiles.put(bytes)
  const name = `picture.${mediaType.replace('image/', '')}`
  return { text: `(Picture: ${describeImage(mediaType, bytes)}, kept as ${file})`, images: [{ file, mediaType, name }] }
}

/** Limits of a kept picture; the event of a response bounds it before. */
const keptLimits = { api: 'the log', maxBytes: 64 << 20, maxPixels: null }
