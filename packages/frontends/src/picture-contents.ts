import type { Picture } from '@parley/protocol'

/** Picture as content of MCP and ACP, which write it alike. */
export interface PictureContent {
  readonly type: 'image'
  /** Bytes in base64. */
  readonly data: string
  readonly mimeType: string
}

/** Reads pictures of a conversation. A picture without its file is left out: the text about it stands alone. */
export async function pictureContents(
  pictures: readonly Picture[],
  read: (file: string) => Promise<Buffer>,
): Promise<PictureContent[]> {
  const contents: PictureContent[] = []
  for (const { file, mediaType } of pictures) {
    const bytes = await read(file).catch(() => null)
    if (bytes !== null) contents.push({ type: 'image', data: bytes.toString('base64'), mimeType: mediaType })
  }
  return contents
}
