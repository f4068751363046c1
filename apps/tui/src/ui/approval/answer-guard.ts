/** Keeps a key from answering an approval that has just appeared, or of which a part has never been on the screen. */
export interface AnswerGuard {
  readonly approvalId: string | null
  /** When the approval was first on the screen, or, if that was later, all of it. */
  readonly paintedAtMs: number
  /** All of what a yes would allow has been on the screen. */
  readonly isSeen: boolean
  readonly lastKeyAtMs: number
}

export const unguarded: AnswerGuard = {
  approvalId: null,
  paintedAtMs: 0,
  isSeen: false,
  lastKeyAtMs: Number.NEGATIVE_INFINITY,
}

/** Long enough to have seen it. */
const readableAfterMs = 400
/** Whoever is typing does not answer. */
const quietForMs = 150

/** The approval that a frame has put on the screen, and whether all of it has been there by now. */
export interface Painted {
  readonly approvalId: string | null
  readonly isSeen: boolean
}

/** What has been on the screen once stays seen, also where a smaller window hides it again. */
export function notePainted(guard: AnswerGuard, { approvalId, isSeen }: Painted, nowMs: number): AnswerGuard {
  if (guard.approvalId !== approvalId) return { ...guard, approvalId, paintedAtMs: nowMs, isSeen }
  return guard.isSeen || !isSeen ? guard : { ...guard, paintedAtMs: nowMs, isSeen }
}

/** Called after a key was used, so that the next one finds when it came. */
export function noteKey(guard: AnswerGuard, nowMs: number): AnswerGuard {
  return { ...guard, lastKeyAtMs: nowMs }
}

/** Whether this approval has been on the screen for long enough. */
export function isReadable(guard: AnswerGuard, approvalId: string, nowMs: number): boolean {
  return guard.approvalId === approvalId && nowMs - guard.paintedAtMs >= readableAfterMs
}

/** Whether a letter that comes now counts as an answer to this approval. */
export function mayAnswer(guard: AnswerGuard, approvalId: string, nowMs: number): boolean {
  return isReadable(guard, approvalId, nowMs) && nowMs - guard.lastKeyAtMs >= quietForMs
}

/** Whether all of what a yes to this approval would allow has been on the screen. */
export function isWhollySeen(guard: AnswerGuard, approvalId: string): boolean {
  return guard.approvalId === approvalId && guard.isSeen
}

/** A key that was pressed at a question with nothing written: an answer, or the first letter of a message. */
export interface HeldKey {
  /** Empty for Enter. */
  readonly text: string
  /** What goes into the composer if text follows: the key, behind others that were no answers just before. */
  readonly written: string
  readonly atMs: number
  readonly approvalId: string
  /** Why it is no answer; null while it is chosen and takes effect unless more text follows. */
  readonly refusal: Refusal | null
}

/**
 * `tooEarly`: the question cannot have been read. `readOnly`: this window only watches. `unseen`: a yes to what has not
 * been on the screen whole.
 */
export type Refusal = 'tooEarly' | 'readOnly' | 'unseen'

/**
 * How long a letter is chosen before it takes effect. Letters of a word are up to 250 ms apart, and a slow line may
 * deliver the second up to 200 ms later than the first.
 */
export const takenAfterMs = 500

/** When the chosen letter takes effect, in ms since the epoch; null while none is chosen. */
export function takenAtMs({ heldKey }: { readonly heldKey: HeldKey | null }): number | null {
  return heldKey === null || heldKey.refusal !== null ? null : heldKey.atMs + takenAfterMs
}

/** Whether text that comes now belongs to the key. */
export function isFresh({ atMs }: HeldKey, nowMs: number): boolean {
  return nowMs - atMs < takenAfterMs
}
