import type { Client } from '@parley/client/browser'
import type { ConversationId } from '@parley/protocol'

interface SideFileName {
  readonly conversationId: ConversationId
  /** Reference of the side file. */
  readonly file: string
}

/** Bytes of one request. */
const partBytes = 1 << 20

export interface FilePart {
  readonly bytes: Uint8Array
  /** Offset of the next part; null at the end. */
  readonly nextOffset: number | null
}

/** Reads a part of a side file, at most 1 MiB. */
export async function readFilePart(client: Client, place: SideFileName, offset: number): Promise<FilePart> {
  const part = await client.request('conversation/readFile', { ...place, offset, limit: partBytes })
  return { bytes: Uint8Array.from(atob(part.base64), (unit) => unit.charCodeAt(0)), nextOffset: part.nextOffset }
}

/** Reads a side file whole, as a `data:` URL of a type. */
export async function readFileUrl(client: Client, place: SideFileName, mediaType: string): Promise<string> {
  const parts: BlobPart[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const part: FilePart = await readFilePart(client, place, offset)
    parts.push(Uint8Array.from(part.bytes))
    offset = part.nextOffset
  }
  return dataUrlOf(new Blob(parts, { type: mediaType }))
}

/** Reads bytes as a `data:` URL in base64. */
export function dataUrlOf(blob: Blob): Promise<string> {
  const reader = new FileReader()
  return new Promise((resolve, reject) => {
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(new Error('The file cannot be read.')))
    reader.readAsDataURL(blob)
  })
}
