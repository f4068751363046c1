import type { ConversationId } from '@parley/protocol'
import type { Client } from '../connection/client.ts'

/** Bytes of one request. */
const pieceBytes = 1 << 20

/** Reads a file that an item of a conversation names. Throws `itemNotFound` for a missing file. */
export async function readFile(
  client: Pick<Client, 'request'>,
  { conversationId, file }: { readonly conversationId: ConversationId; readonly file: string },
): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: { readonly base64: string; readonly nextOffset: number | null } = await client.request(
      'conversation/readFile',
      { conversationId, file, offset, limit: pieceBytes },
    )
    pieces.push(Buffer.from(piece.base64, 'base64'))
    offset = piece.nextOffset
  }
  return Buffer.concat(pieces)
}
