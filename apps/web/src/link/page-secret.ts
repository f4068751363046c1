/** Facts that the fragment of a link has: its code, and what the page shows first. */
export interface LinkFacts {
  readonly code: string | null
  readonly conversation: string | null
  readonly folder: string | null
}

/** Reads the fragment of an address: `#code=…&conversation=…&folder=…`. */
export function readFragment(hash: string): LinkFacts {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  return { code: values.get('code'), conversation: values.get('conversation'), folder: values.get('folder') }
}

/** Returns the fragment of a place in the page. */
export function fragmentOf(conversation: string | null): string {
  return conversation === null ? '#' : `#conversation=${encodeURIComponent(conversation)}`
}

const tokenKey = 'parley-token'
const folderKey = 'parley-folder'

/** Storage of one tab, which ends with it and which no other tab or port can read. */
export interface TabStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** The token of this tab, and the folder its link was made in. */
export interface PageSecrets {
  /** Returns the first message for the server; null without a code and without a token. */
  proof(): { readonly code: string } | { readonly token: string } | null
  /** Keeps the token that the server gave. */
  keep(token: string): void
  /** Forgets what the server rejected: the code first, then the token. Returns true if something is left to try. */
  forget(): boolean
  readonly folder: string | null
}

export function createPageSecrets({ code, folder }: LinkFacts, storage: TabStorage): PageSecrets {
  let unused = code
  if (folder !== null) storage.setItem(folderKey, folder)
  return {
    proof() {
      if (unused !== null) return { code: unused }
      const token = storage.getItem(tokenKey)
      return token === null ? null : { token }
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
    folder: storage.getItem(folderKey),
  }
}
