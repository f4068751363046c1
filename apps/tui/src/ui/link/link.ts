import type { ClientId, ConversationId, Person } from '@parley/protocol'
import type { Ceiling } from '../menu/wider-limits.ts'

/** Addresses of the server that was lost, and of the one that is tried. */
export interface SoughtServer {
  readonly address: string
  readonly trying: string
  /** Set where the lost one does not accept the token any more. */
  readonly isRejected?: true
  /** Reason why the last attempt at `trying` failed; absent before one. */
  readonly why?: string
}

/** Reason not to connect again: another server of the store has the conversation, or every server rejects the token. */
export type LossReason = 'taken' | 'rejected'

/** State of the connection to the server. */
export type WindowLink =
  /** `sought`: the connection to one of several servers is being made again. */
  | { readonly kind: 'starting'; readonly sought?: SoughtServer }
  | { readonly kind: 'up'; readonly clientId: ClientId; readonly serverPid: number | null }
  | { readonly kind: 'lost'; readonly reason?: LossReason }

/**
 * Role that keeps a window from sending; a user with a link is a reader. `none`: the role was taken away while the
 * window was open.
 */
export type HeldRole = 'reader' | 'approver' | 'none'

/** Facts on the open conversation that are not in its state. */
export interface OpenedWindow {
  readonly conversationId: ConversationId
  readonly shortId: string
  readonly readOnly: boolean
  /** True for `--read-only`: the client cannot take part. */
  readonly onlyWatches: boolean
  /** Person that the window acts for; absent where the server has no users. */
  readonly person?: Person
  /** Role that keeps this window from sending, by the state of the conversation; absent if the window may send. */
  readonly heldTo?: HeldRole
  /** True if another process started its server. */
  readonly attached: boolean
  /** Set if its server was started with `--safe`. */
  readonly isSafe?: true
  /** Set if its server was named by an address: its files may be on another machine. */
  readonly isFar?: true
  /** True if nothing of it outlives the server. */
  readonly ephemeral: boolean
  readonly ceiling?: Ceiling
}
