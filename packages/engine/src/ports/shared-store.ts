import type { StorageError } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'

/** Files of one conversation on this machine, which are a copy of what a store has. */
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
  /** Reads one that this machine keeps; null for none. */
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
  /** Resolves to null where there is none. Rejects with `StorageError`. */
  read(name: string): Promise<string | null>
  /**
   * Keeps what `next` makes of a text, null for none and for one that is lost; again where another server was first.
   * Where `next` returns null all stays. Rejects with `StorageError`.
   */
  change(name: string, next: (before: string | null) => string | null): Promise<void>
}

/** Conversations that several servers share. What it has acknowledged outlives any of them. */
export interface SharedStore extends AsyncDisposable {
  /** Servers of the store, as people write them. */
  readonly name: string
  /** Key of the seals and marks that its servers have in common. */
  readonly key: Uint8Array
  /** Answers of users about what lies in environments. */
  readonly answers: SharedAnswers
  /** Says where this server is reached, and by `providers`, asked again and again, whose keys it has. */
  announce(at: AnnouncedAt, providers: () => readonly string[]): void
  /** Resolves to the other servers that live. */
  others(): Promise<readonly Holder[]>
  /**
   * Takes the right to write a conversation and brings the copy of its log up to date; a new one has none yet, and an own
   * one may have more than the store, which is to be sent then. Rejects with `HeldElsewhereError` while a living server
   * has it, and with `StorageError`.
   */
  take(copy: LocalCopy, kind: TakenKind): Promise<Shipment>
  /** Resolves to another server that lives and writes a conversation; null for none. */
  holder(conversationId: ConversationId): Promise<Holder | null>
  /** Brings the copy of a log up to date for reading. Resolves to false where the store has no such conversation. */
  refresh(copy: LocalCopy): Promise<boolean>
  /** Resolves to the facts that lists show of one; null where there is no such conversation. */
  row(conversationId: ConversationId): Promise<unknown>
  /** Compares what the store has with the log here, byte for byte, and changes nothing. */
  compare(copy: LocalCopy): Promise<Comparison>
  /** Resolves to what lists show of the conversations, in no order. */
  rows(): Promise<readonly StoredRow[]>
  /** Resolves to a content that a file of a conversation had; null where the store does not have it. */
  content(conversationId: ConversationId, hash: string): Promise<Uint8Array | null>
  /**
   * Resolves to the conversations that were deleted and of which this machine has a copy of this store. One that the
   * store has lost is none of them.
   */
  deletedCopies(copyOf: (conversationId: ConversationId) => LocalCopy | null): Promise<readonly ConversationId[]>
  /** Removes a conversation that is closed here. Rejects with `HeldElsewhereError` while a living server has it. */
  remove(conversationId: ConversationId): Promise<void>
  /** Removes what is left of conversations whose deletion was cut short. Rejects with `StorageError`. */
  finishDeletions(): Promise<void>
  /** Time since the store answered last, in ms; null while it does. Known without asking it. */
  readonly awayMs: number | null
  /**
   * Begins to look which streams of it have a leader, until it is closed. Returns what names those that have none, without
   * asking then.
   */
  watchLeaders(): () => readonly string[]
}

/** Log of a conversation at one of two places. */
export interface Extent {
  readonly bytes: number
  readonly lines: number
  /** Lines whose checksum does not match. */
  readonly damagedLines: number
  readonly sideFiles: number
  /** SHA-256 of all bytes, in hex. */
  readonly hash: string
}

/** Log of a conversation in a store beside the one of this machine. */
export interface Comparison {
  /** Log in the store; null where there is none, as for that of this machine. */
  readonly stored: Extent | null
  readonly here: Extent | null
  /** First line that is not the same, from 1; null where one log is the beginning of the other. */
  readonly partsAtLine: number | null
  /** True where the log here is a copy of what a store has. */
  readonly isCopy: boolean
  /** Lines at the end of the copy here that the store never acknowledged and does not have; null for none. */
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
  /** Server that had it when the list was read; null for none. */
  readonly holder: Holder | null
}

/** Addresses at which a server is reached. */
export interface AnnouncedAt {
  /** Address for clients; null for none. */
  readonly address: string | null
  /** Origin at which browsers find its page; null for none. */
  readonly page: string | null
}

/** Server process that writes a conversation. */
export interface Holder extends AnnouncedAt {
  /** Random name of the process. */
  readonly node: string
  readonly pid: number
  /** Ids of the providers whose models it can ask. */
  readonly providers: readonly string[]
}

/** Sends the log of one conversation to the store while it is written. */
export interface Shipment {
  /** Number that grows with each taking of the conversation. */
  readonly epoch: number
  /** Facts that lists showed of a stored conversation when it was taken; null for none. */
  readonly row: unknown
  /** Called after each write to the log with its size. */
  wrote(sizeBytes: number): void
  /** Sets what lists show, as of now unless a time is given; it is stored before lines that are written later. */
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
  /** Waits for what is on its way and gives the conversation up. Rejects with `StorageError` where bytes were not taken. */
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
