import type { Bench } from './bench.ts'
import type { Conversation } from './conversation.ts'
import type { StoragePatience } from './storage-patience.ts'

/** One move of the turn loop: what it works on, and the signal that takes it back. */
export interface Run {
  readonly conversation: Conversation
  readonly bench: Bench
  readonly patience: StoragePatience
  /** Its reason is a `StopReason`. */
  readonly signal: AbortSignal
}

/** `shutdown` leaves less time to what is stopped. */
export type StopReason = 'interrupted' | 'shutdown'
