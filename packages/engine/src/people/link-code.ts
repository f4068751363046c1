import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Conversation and hash of the code of a shared link. */
export interface LinkCode {
  readonly conversationId: string
  readonly codeHash: string
}

/** Returns a new code of a link, which has the form ID.SECRET, with its hash. */
export function newLinkCode(conversationId: string): { readonly code: string; readonly codeHash: string } {
  const code = `${conversationId}.${randomBytes(32).toString('base64url')}`
  return { code, codeHash: hashToken(code) }
}

/** Returns the conversation and the hash of a link's code; null for a text of another form. */
export function readLinkCode(code: string): LinkCode | null {
  const [, conversationId] = /^([^.\s]{1,64})\.[\w-]{43}$/.exec(code) ?? []
  return conversationId === undefined ? null : { conversationId, codeHash: hashToken(code) }
}

/** Returns the SHA-256 of a token or code, in hex. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Compares two hashes in hex, in the same time wherever they differ. */
export function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
