import { isRecord } from '@parley/text'
import type { ModelEvent } from '../port/model-client.ts'
import { type JsonRecord, recordAt, stringAt } from './json.ts'

/** Picture, or other bytes, that a model made as part of its answer. */
export interface MadePicture {
  readonly mediaType: string
  readonly base64: string
}

export function pictureEvent(nth: number | string, { mediaType, base64 }: MadePicture): ModelEvent {
  return { type: 'picture', part: `picture-${nth}`, mediaType, base64 }
}

/** Returns the event of a picture that lies elsewhere. */
export function linkedPicture(nth: number, url: string): ModelEvent {
  return { type: 'pictureText', part: `picture-${nth}`, text: `(The picture of the model lies at ${url})` }
}

/** Returns the text that replaces a picture in later requests, which would read and pay for its bytes each time. */
export function pictureText({ mediaType, base64 }: MadePicture): string {
  const kibibytes = Math.ceil(Buffer.byteLength(base64, 'base64') / 1024)
  const what = mediaType === '' || mediaType.startsWith('image/') ? 'Picture' : 'File'
  return `[${what} made here: ${[mediaType, `${kibibytes} KiB`].filter((fact) => fact !== '').join(', ')}]`
}

/** Returns the picture of a `data:` URL in base64; undefined for any other. */
function pictureOfUrl(url: string): MadePicture | undefined {
  const [whole, mediaType = ''] = /^data:([\w.+/-]+)[^,]{0,100};base64,/.exec(url) ?? []
  return whole === undefined ? undefined : { mediaType, base64: url.slice(whole.length) }
}

/** Reads `images` of gateways that speak Chat Completions: pictures, and addresses of pictures elsewhere. */
export function picturesIn(images: unknown): readonly (MadePicture | string)[] {
  const all: readonly unknown[] = Array.isArray(images) ? images : []
  return all.filter(isRecord).flatMap((image: JsonRecord) => {
    const url = stringAt(recordAt(image, 'image_url') ?? {}, 'url') ?? stringAt(image, 'image_url') ?? ''
    return url === '' ? [] : [pictureOfUrl(url) ?? url]
  })
}
