import type { ContentItem } from '@parley/protocol'
import type { TestClient } from './test-client.ts'

/** Returns the joined texts of a message; long ones are read from side files. */
export async function wholeText(
  client: TestClient,
  conversationId: string,
  content: readonly ContentItem[],
): Promise<string> {
  const texts: string[] = []
  for (const part of content) {
    if (part.type !== 'text') continue
    texts.push(part.file === undefined ? part.text : await readWhole(client, conversationId, part.file))
  }
  return texts.join('')
}

async function readWhole(client: TestClient, conversationId: string, file: string): Promise<string> {
  const pieces: Buffer[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const params = { conversationId, file, offset, limit: 1 << 20 }
    const piece: { base64: string; nextOffset: number | null } = await client.request('conversation/readFile', params)
    pieces.push(Buffer.from(piece.base64, 'base64'))
    offset = piece.nextOffset
  }
  return Buffer.concat(pieces).toString()
}
