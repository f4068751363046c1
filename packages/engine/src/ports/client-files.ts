/** Path that a client reads without a conversation. */
export interface ClientPath {
  /** Absolute path. */
  readonly path: string
  /** Absolute path of the folder that gives the configuration and rules for the decision. */
  readonly cwd: string
}

/** `refused`: policy denies the read, or would have to ask, which needs a conversation. */
export type ClientRead<Found> =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'refused'; readonly reason: string }

export interface ClientEntry {
  readonly name: string
  /** Kind of the target; `other` for a link that leads nowhere. */
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
 * Files of this machine for clients without a conversation. Each read is judged like a read by a tool in the folder.
 * Rejects with errors of the system and of `StartCommand`.
 */
export interface ClientFiles {
  /** Reads a whole file, with marks for its secrets; null for one that is longer than `maxBytes` or no file. */
  read(path: ClientPath, maxBytes: number): Promise<ClientRead<Buffer | null>>
  list(path: ClientPath): Promise<ClientRead<readonly ClientEntry[]>>
  /** Finds files and folders by a part of their path, the best match first; folders end in a slash. */
  find(path: ClientPath, query: string): Promise<ClientRead<readonly string[]>>
  look(path: ClientPath): Promise<ClientRead<ClientFileFacts>>
}
