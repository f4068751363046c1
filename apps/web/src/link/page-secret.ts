/** Contents of a link's fragment: its code, and the first view of the page. */
export interface LinkFacts {
  /** Code for one use, with all rights of the user who made the link. */
  readonly code: string | null
  /** Code of a link to one conversation of a server with users, `ID.SECRET`. */
  readonly link: string | null
  readonly conversation: string | null
  readonly folder: string | null
}

/** Reads the fragment of an address: `#code=…&conversation=…&folder=…`, or `#link=…`. */
export function readFragment(hash: string): LinkFacts {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  const link = values.get('link')
  const conversation = link?.replace(/\..*/, '') ?? values.get('conversation')
  return { code: values.get('code'), link, conversation, folder: values.get('folder') }
}

/** Returns the fragment of a place in the page. */
export function fragmentOf(conversation: string | null): string {
  return conversation === null ? '#' : `#conversation=${encodeURIComponent(conversation)}`
}

/** Returns the origin of the page at the server with this websocket; null for any other text, which may be a script. */
export function originOfWebsocket(websocket: string | null): string | null {
  if (websocket === null || !/^wss?:/i.test(websocket) || !URL.canParse(websocket)) return null
  return new URL(websocket).origin.replace(/^ws/, 'http')
}

/** Returns the address of a conversation's page at the server with this websocket; null for no server. */
export function pageAt(websocket: string | null, conversation: string): string | null {
  const origin = originOfWebsocket(websocket)
  return origin === null ? null : `${origin}/${fragmentOf(conversation)}`
}

const tokenKey = 'parley-token'
const folderKey = 'parley-folder'

/** Storage of one tab, which ends with it and which no other tab or port can read. */
export interface TabStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** First message to the server. */
export type Proof = { readonly code: string } | { readonly token: string }

/** The token of this tab, and the folder its link was made in. */
export interface PageSecrets {
  /** Returns the first message for the server; null without a code and without a token. */
  proof(): Proof | null
  /** Takes a token to try next. */
  take(token: string): void
  /** Keeps the token that the server gave. */
  keep(token: string): void
  /** Forgets the rejected secret: the newest first, then the token. Returns true if another secret is left to try. */
  forget(): boolean
  clear(): void
  readonly folder: string | null
}

export function createPageSecrets({ code, link, folder }: LinkFacts, storage: TabStorage): PageSecrets {
  let unused: Proof | null = code !== null ? { code } : link !== null ? { token: link } : null
  if (folder !== null) storage.setItem(folderKey, folder)
  return {
    proof() {
      if (unused !== null) return unused
      const token = storage.getItem(tokenKey)
      return token === null ? null : { token }
    },
    take(token) {
      unused = { token }
    },
    keep(token) {
      unused = null
      storage.setItem(tokenKey, token)
    },
    forget() {
      if (unused === null) storage.removeItem(tokenKey)
      unused = null
      return storage.getItem(tokenKey) !== null
    },
    clear() {
      unused = null
      storage.removeItem(tokenKey)
    },
    folder: storage.getItem(folderKey),
  }
}
