/** Path that a client reads without a conversation. */
export interface ClientPath {
  /** Absolute path. */
  readonly path: string
  /** Folder by whose configuration and rules it is judged, absolute. */
  readonly cwd: string
}

/** `refused`: policy denies the read, or would have to ask, which needs a conversation. */
export type ClientRead<Found> =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'refused'; readonly reason: string }

export interface ClientEntry {
  readonly name: string
  /** Kind of what it leads to; `other` for a link that leads nowhere. */
  readonly kind: 'file' | 'folder' | 'other'
}

export interface ClientFileFacts {
  readonly kind: ClientEntry['kind']
  /** True when the path itself is a link. */
  readonly isLink: boolean
  /** ms since the epoch; 0 where the disk does not keep it. */
  readonly createdAtMs: number
  readonly modifiedAtMs: number
}

/**
 * Files of this machine for clients without a conversation. Each read is judged as one of a tool in the folder is.
 * Rejects with the system's errors, and with those of `StartCommand`.
 */
export interface ClientFiles {
  /** Reads a whole file, with marks for its secrets; null for one that is longer than `maxBytes` or no file. */
  read(path: ClientPath, maxBytes: number): Promise<ClientRead<Buffer | null>>
  list(path: ClientPath): Promise<ClientRead<readonly ClientEntry[]>>
  /** Finds files and folders by what is written of their path, the best first; folders end in a slash. */
  find(path: ClientPath, query: string): Promise<ClientRead<readonly string[]>>
  look(path: ClientPath): Promise<ClientRead<ClientFileFacts>>
}
