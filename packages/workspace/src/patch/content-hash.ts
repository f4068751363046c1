import { createHash } from 'node:crypto'

/** SHA-256 of the exact bytes, in hex; a text counts as its UTF-8. The hash of a patch text binds its approval. */
export function contentHash(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}
