import type { ConversationId } from '@parley/protocol'
import type { Client } from '../connection/client.ts'

interface Place {
  readonly conversationId: ConversationId
  /** Reference of the file, as an item names it. */
  readonly file: string
}

/** Bytes of one request. */
const pieceBytes = 1 << 20

/** Reads a file of a conversation whole. Throws `itemNotFound` for one that is missing. */
export async function readFile(client: Pick<Client, 'request'>, place: Place): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const piece: { readonly base64: string; readonly nextOffset: number | null } = await client.request(
      'conversation/readFile',
      { ...place, offset, limit: pieceBytes },
    )
    pieces.push(Buffer.from(piece.base64, 'base64'))
    offset = piece.nextOffset
  }
  return Buffer.concat(pieces)
}
