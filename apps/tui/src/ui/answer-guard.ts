/** Keeps a key that was meant for something else from answering an approval that has just appeared. */
export interface AnswerGuard {
  readonly approvalId: string | null
  /** When the approval was first on the screen. */
  readonly paintedAtMs: number
  readonly lastKeyAtMs: number
}

export const unguarded: AnswerGuard = { approvalId: null, paintedAtMs: 0, lastKeyAtMs: Number.NEGATIVE_INFINITY }

/** Long enough to have seen it. */
export const readableAfterMs = 400
/** Whoever is typing does not answer. */
export const quietForMs = 150

export function notePainted(guard: AnswerGuard, approvalId: string | null, nowMs: number): AnswerGuard {
  return guard.approvalId === approvalId ? guard : { ...guard, approvalId, paintedAtMs: nowMs }
}

/** Called after a key was used, so that the next one finds when it came. */
export function noteKey(guard: AnswerGuard, nowMs: number): AnswerGuard {
  return { ...guard, lastKeyAtMs: nowMs }
}

/** Whether a key that comes now counts as an answer to this approval. */
export function mayAnswer(guard: AnswerGuard, approvalId: string, nowMs: number): boolean {
  const isRead = guard.approvalId === approvalId && nowMs - guard.paintedAtMs >= readableAfterMs
  return isRead && nowMs - guard.lastKeyAtMs >= quietForMs
}
