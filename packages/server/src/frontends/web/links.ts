import { randomBytes } from 'node:crypto'
import type { ClientAccess, ConversationId } from '@parley/protocol'
import { isSameSecret } from '@parley/rpc/websocket'

/** Time that a link may be opened in. */
export const linkLifeMs = 60_000
/** Most links that wait to be opened; the oldest is dropped for a new one. */
const maxLinks = 16
/** Most tokens of pages; the oldest is dropped for a new one. */
const maxTokens = 64

/** Rights that a link gives a page. */
interface LinkTerms {
  readonly access: ClientAccess
  /** The only conversation that the page reaches; null for all. */
  readonly only: ConversationId | null
}

interface OneTimeLink {
  readonly code: string
  readonly terms: LinkTerms
  readonly expiresAt: number
}

interface Token {
  readonly token: string
  readonly terms: LinkTerms
}

/** Codes of links, each good once and for 60 s, and the tokens that pages have for them. Kept in memory only. */
export interface Links {
  /** Creates a link. `expiresAt` is in ms since the epoch. */
  create(terms: LinkTerms): OneTimeLink
  /** Takes a code and returns a new token; null for a code that is unknown, used or too old. */
  exchange(code: string): Token | null
  /** Returns the token as it was given; null for an unknown one. */
  find(token: string): Token | null
}

export function createLinks(now: () => number): Links {
  let links: readonly OneTimeLink[] = []
  let tokens: readonly Token[] = []

  return {
    create(terms) {
      const link = { code: newSecret(), terms, expiresAt: now() + linkLifeMs }
      links = [...links, link].slice(-maxLinks)
      return link
    },
    exchange(code) {
      const link = links.find((known) => isSameSecret(code, known.code))
      if (link === undefined) return null
      links = links.filter((other) => other !== link)
      if (now() >= link.expiresAt) return null
      const token = { token: newSecret(), terms: link.terms }
      tokens = [...tokens, token].slice(-maxTokens)
      return token
    },
    find: (token) => tokens.find((known) => isSameSecret(token, known.token)) ?? null,
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
