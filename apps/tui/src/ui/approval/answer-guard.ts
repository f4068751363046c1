import type { ApprovalId } from '@parley/protocol'
/** State that keeps keys from answering an approval that has just appeared or was not shown whole. */
export interface AnswerGuard {
  readonly approvalId: ApprovalId | null
  /** Time of the first frame with the approval, or with all of it if later. */
  readonly paintedAtMs: number
  /** True if everything a yes would allow has been on the screen. */
  readonly isSeen: boolean
  readonly lastKeyAtMs: number
}

export const unguarded: AnswerGuard = {
  approvalId: null,
  paintedAtMs: 0,
  isSeen: false,
  lastKeyAtMs: Number.NEGATIVE_INFINITY,
}

/** Time an approval must be on the screen before keys answer it. */
const readableAfterMs = 400
/** Pause after other keys before a letter answers, so that typing does not. */
const quietForMs = 150

/** Approval in a painted frame, and whether all of it has been shown. */
export interface Painted {
  readonly approvalId: ApprovalId | null
  readonly isSeen: boolean
}

/** Records a painted frame; an approval once shown whole stays so, even if a smaller window hides it. */
export function notePainted(guard: AnswerGuard, { approvalId, isSeen }: Painted, nowMs: number): AnswerGuard {
  if (guard.approvalId !== approvalId) return { ...guard, approvalId, paintedAtMs: nowMs, isSeen }
  return guard.isSeen || !isSeen ? guard : { ...guard, paintedAtMs: nowMs, isSeen }
}

/** Records the time of a key; called after the key was used. */
export function noteKey(guard: AnswerGuard, nowMs: number): AnswerGuard {
  return { ...guard, lastKeyAtMs: nowMs }
}

/** Returns true if the approval has been on the screen for long enough. */
export function isReadable(guard: AnswerGuard, approvalId: ApprovalId, nowMs: number): boolean {
  return guard.approvalId === approvalId && nowMs - guard.paintedAtMs >= readableAfterMs
}

/** Returns true if a letter now counts as an answer to the approval. */
export function mayAnswer(guard: AnswerGuard, approvalId: ApprovalId, nowMs: number): boolean {
  return isReadable(guard, approvalId, nowMs) && nowMs - guard.lastKeyAtMs >= quietForMs
}

/** Returns true if everything a yes would allow has been on the screen. */
export function isWhollySeen(guard: AnswerGuard, approvalId: ApprovalId): boolean {
  return guard.approvalId === approvalId && guard.isSeen
}

/** Key pressed at an approval with an empty composer: an answer, or the first letter of a message. */
export interface HeldKey {
  /** Text of the key; empty for Enter. */
  readonly text: string
  /** Text for the composer if more text follows: the key, after others rejected just before. */
  readonly written: string
  readonly atMs: number
  readonly approvalId: ApprovalId
  /** Reason why it is no answer; null while it is chosen and takes effect unless more text follows. */
  readonly refusal: Refusal | null
}

/**
 * Reason to reject a key. `tooEarly`: the approval was just shown. `readOnly`: the client only watches. `unseen`: a yes
 * before everything was shown.
 */
export type Refusal = 'tooEarly' | 'readOnly' | 'unseen'

/**
 * Delay before a chosen letter takes effect. Letters of a word are up to 250 ms apart, and a slow line may delay the
 * second by another 200 ms.
 */
export const takenAfterMs = 500

/** Returns the time at which the chosen letter takes effect, in ms since the epoch; null if none is. */
export function takenAtMs({ heldKey }: { readonly heldKey: HeldKey | null }): number | null {
  return heldKey === null || heldKey.refusal !== null ? null : heldKey.atMs + takenAfterMs
}

/** Returns true if text now continues the held key. */
export function isFresh({ atMs }: HeldKey, nowMs: number): boolean {
  return nowMs - atMs < takenAfterMs
}
