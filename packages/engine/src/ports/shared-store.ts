import type { StorageError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'

/** Files of one conversation on this machine that are a copy of the store's files. */
export interface LocalCopy {
  readonly conversationId: ConversationId
  readonly log: string
  readonly sideFiles: string
  /** File that says how much of the log the store has acknowledged. */
  readonly acked: string
  readonly contents: FileContents
}

/** Contents that files had before they were changed, by their SHA-256: lines name them, and they lie apart from the log. */
export interface FileContents {
  /** Returns the hashes that lines name, and the names of the side files that name more. */
  namedIn(lines: Buffer): NamedContents
  /** Returns the hashes that such a side file names. */
  listedIn(sideFile: Uint8Array): readonly string[]
  /** Reads a content that this machine keeps; null where it keeps no such content. */
  read(hash: string): Uint8Array | null
}

interface NamedContents {
  readonly hashes: readonly string[]
  readonly lists: readonly string[]
}

/** State of a conversation before it is taken; `own` is one that was written without the store. */
export type TakenKind = 'new' | 'stored' | 'own'

/** Texts that the servers of a store have in common, by names; of each name the last one counts. */
export interface SharedAnswers {
  /** Resolves to null for an unknown name. Rejects with `StorageError`. */
  read(name: string): Promise<string | null>
  /**
   * Replaces a text by the result of `next`, which gets null for a text that is missing or lost. Calls `next` again
   * where another server wrote first. Where `next` returns null the text stays. Rejects with `StorageError`.
   */
  change(name: string, next: (before: string | null) => string | null): Promise<void>
}

/** Servers of a shared store. */
export interface StoreServers {
  /**
   * Announces the address of this server; `providers` is called again and again and returns the providers for which it
   * has a key.
   */
  announce(at: AnnouncedAt, providers: () => readonly string[]): void
  /** Resolves to the other servers that live. */
  others(): Promise<readonly Holder[]>
}

/** Lists of the conversations in a shared store. */
export interface StoredLists {
  /** Resolves to the facts that lists show of one; null where there is no such conversation. */
  row(conversationId: ConversationId): Promise<unknown>
  /** Resolves to what lists show of the conversations, in no order. */
  rows(): Promise<readonly StoredRow[]>
  /**
   * Resolves to the deleted conversations that have a copy from this store on this machine. A conversation that the
   * store has lost is not among them.
   */
  deletedCopies(copyOf: (conversationId: ConversationId) => LocalCopy | null): Promise<readonly ConversationId[]>
}

/** Logs and contents in a shared store, and their copies on this machine. */
interface StoredCopies {
  /** Brings the copy of a log up to date for reading. Resolves to false where the store has no such conversation. */
  refresh(copy: LocalCopy): Promise<boolean>
  /** Compares the log in the store with the log here, byte for byte, and changes nothing. */
  compare(copy: LocalCopy): Promise<Comparison>
  /** Resolves to a content that a file of a conversation had; null where the store does not have it. */
  content(conversationId: ConversationId, hash: string): Promise<Uint8Array | null>
}

/** Conversations that several servers share. Data that the store has acknowledged outlives any of the servers. */
export interface SharedStore extends AsyncDisposable {
  /** Servers of the store, as people write them. */
  readonly name: string
  /** Key of the seals and marks that its servers have in common. */
  readonly key: Uint8Array
  /** Answers of users about what lies in environments. */
  readonly answers: SharedAnswers
  readonly servers: StoreServers
  readonly lists: StoredLists
  readonly copies: StoredCopies
  /**
   * Takes the right to write a conversation and brings the copy of its log up to date. A new conversation has no copy
   * yet; the log of an own conversation may be longer than the store's, and the rest is to be sent then. Rejects with
   * `HeldElsewhereError` while a living server has the conversation, and with `StorageError`.
   */
  take(copy: LocalCopy, kind: TakenKind): Promise<Shipment>
  /** Resolves to the other, living server that writes a conversation; null where no other server writes it. */
  holder(conversationId: ConversationId): Promise<Holder | null>
  /** Removes a conversation that is closed here. Rejects with `HeldElsewhereError` while a living server has it. */
  remove(conversationId: ConversationId): Promise<void>
  /** Removes the remains of conversations after an interrupted deletion. Rejects with `StorageError`. */
  finishDeletions(): Promise<void>
  /** Time since the store answered last, in ms; null while it does. Known without asking it. */
  readonly awayMs: number | null
  /**
   * Checks again and again, until the store is closed, which of its streams have a leader. Returns a function that
   * names the streams without a leader and sends no request.
   */
  watchLeaders(): () => readonly string[]
}

/** Log of a conversation at one of two places. */
export interface Extent {
  readonly bytes: number
  readonly lines: number
  /** Lines with a wrong checksum. */
  readonly damagedLines: number
  readonly sideFiles: number
  /** SHA-256 of all bytes, in hex. */
  readonly hash: string
}

/** Log of a conversation in a store beside the one of this machine. */
export interface Comparison {
  /** Log in the store; null where the store has no log. The log of this machine likewise. */
  readonly stored: Extent | null
  readonly here: Extent | null
  /** First line that is not the same, from 1; null where one log is the beginning of the other. */
  readonly partsAtLine: number | null
  /** True where the log here is a copy of the store's log. */
  readonly isCopy: boolean
  /**
   * Lines at the end of the copy here that the store has neither acknowledged nor kept; null where there are no such
   * lines.
   */
  readonly unsent: Unsent | null
  /** Bytes at the end of the copy here that the store had acknowledged and does not have. */
  readonly lostBytes: number
  /** True where lists of the store show it, so that servers open it. */
  readonly isListed: boolean
  /** Side files and contents of files that are missing or do not have the content they are named by. */
  readonly badFiles: readonly BadFile[]
}

/** Lines that only this machine has, and no client of the store was shown. */
interface Unsent {
  readonly fromLine: number
  readonly lines: number
  readonly bytes: number
}

export interface BadFile {
  readonly name: string
  readonly where: 'store' | 'here'
}

/** Facts that lists show of a conversation, as the store keeps them. */
export interface StoredRow {
  readonly conversationId: ConversationId
  readonly updatedAtMs: number
  readonly row: unknown
  /** Server that had the conversation when the list was read; null where no server had it. */
  readonly holder: Holder | null
}

/** Addresses at which a server is reached. */
export interface AnnouncedAt {
  /** Address for clients; null where it serves no clients of other servers. */
  readonly address: string | null
  /** Origin at which browsers find its page; null where it serves no page. */
  readonly page: string | null
}

/** Server process that writes a conversation. */
export interface Holder extends AnnouncedAt {
  /** Random name of the process. */
  readonly node: string
  readonly pid: number
  /** Ids of the providers that it can ask. */
  readonly providers: readonly string[]
}

/** Sends the log of one conversation to the store while it is written. */
export interface Shipment {
  /** Number that grows with each taking of the conversation. */
  readonly epoch: number
  /** Facts of a stored conversation in lists when it was taken; null for a new conversation. */
  readonly row: unknown
  /** Called after each write to the log with its size. */
  wrote(sizeBytes: number): void
  /**
   * Sets the facts that lists show, with the present time unless a time is given; they are stored before lines that are
   * written later.
   */
  describe(row: unknown, updatedAtMs?: number): void
  /** Resolves when the store has acknowledged the first bytes of the log. Rejects with a final `StorageError`. */
  acknowledged(sizeBytes: number): Promise<void>
  /**
   * Resolves when it is certain that no other server has the conversation, for an effect that begins at once. Asks the
   * store where this process may have been paused for longer than its lease. Rejects with a final `StorageError`.
   */
  mayAct(): Promise<void>
  /** Throws `StorageError` where that is not certain without asking. */
  assertMayAct(): void
  /** Called where something else shows that another server has taken the conversation. */
  taken(): void
  /** Error while the store takes nothing; null while it does. */
  readonly trouble: StorageError | null
  /**
   * Waits until all sent bytes have arrived, and gives the conversation up. Rejects with `StorageError` where bytes
   * were not taken.
   */
  close(): Promise<void>
}

/** Error for a conversation that a living server writes. */
export class HeldElsewhereError extends Error {
  override readonly name = 'HeldElsewhereError'
  readonly holder: Holder

  constructor(conversationId: ConversationId, holder: Holder) {
    super(`${conversationId} is written by the server ${holder.node}`)
    this.holder = holder
  }
}
