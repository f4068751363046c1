import { randomBytes } from 'node:crypto'
import type { ClientAccess } from '@parley/protocol'
import { isSameSecret } from '@parley/rpc/websocket'

/** Time that a link may be opened in. */
export const linkLifeMs = 60_000
/** Most links that wait to be opened; the oldest is dropped for a new one. */
const maxLinks = 16
/** Most tokens of pages; the oldest is dropped for a new one. */
const maxTokens = 64

interface Link {
  readonly code: string
  readonly access: ClientAccess
  readonly expiresAt: number
}

interface Token {
  readonly token: string
  readonly access: ClientAccess
}

/** Codes of links, each good once and for 60 s, and the tokens that pages have for them. Kept in memory only. */
export interface Links {
  /** Creates a link. `expiresAt` is in ms since the epoch. */
  create(access: ClientAccess): Link
  /** Takes a code and returns a new token; null for a code that is unknown, used or too old. */
  exchange(code: string): Token | null
  /** Returns the access of a token; null for an unknown one. */
  accessOf(token: string): ClientAccess | null
}

export function createLinks(now: () => number): Links {
  let links: readonly Link[] = []
  let tokens: readonly Token[] = []

  return {
    create(access) {
      const link = { code: newSecret(), access, expiresAt: now() + linkLifeMs }
      links = [...links, link].slice(-maxLinks)
      return link
    },
    exchange(code) {
      const link = links.find((known) => isSameSecret(code, known.code))
      if (link === undefined) return null
      links = links.filter((other) => other !== link)
      if (now() >= link.expiresAt) return null
      const token = { token: newSecret(), access: link.access }
      tokens = [...tokens, token].slice(-maxTokens)
      return token
    },
    accessOf: (token) => tokens.find((known) => isSameSecret(token, known.token))?.access ?? null,
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
