import type { Item, Parley } from '../../src/index.ts'

export const mebibyte = 1024 * 1024
type Content = Extract<Item, { type: 'userMessage' }>['content']

/** Reads the text of a message that has one, from its side file when it is long; null for any other. */
export async function wholeText(parley: Parley, conversationId: string, [part]: Content): Promise<string | null> {
  if (part?.type !== 'text') return null
  if (part.file === undefined) return part.text
  const pieces: Buffer[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const params = { conversationId, file: part.file, offset, limit: mebibyte }
    const piece: { base64: string; nextOffset: number | null } = await parley.request('conversation/readFile', params)
    pieces.push(Buffer.from(piece.base64, 'base64'))
    offset = piece.nextOffset
  }
  return Buffer.concat(pieces).toString()
}
