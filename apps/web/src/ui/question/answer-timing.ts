import { type AnswerGuard, isReadable, isWhollySeen } from '@parley/presentation/question/answers'

/** Reason why a press of a button does not count. */
export type PressRefusal = 'tooEarly' | 'unseen'

/** A press of a button, in ms of the page's clock. */
export interface Press {
  /** Time at which the finger, the mouse button or the key went down. */
  readonly downAtMs: number
  /** Time of the key before, for a press by keys; null for others. */
  readonly keyBeforeAtMs: number | null
  readonly isYes: boolean
}

/** Pause after other keys before a key counts, so that typing does not answer. */
const quietForMs = 150

/**
 * Decides if a press counts as an answer: it began after the question had been on the screen for long enough, and a yes
 * only once all of it has been. Returns null where it counts.
 */
export function refusalOf(guard: AnswerGuard, approvalId: string, press: Press): PressRefusal | null {
  const { downAtMs, keyBeforeAtMs, isYes } = press
  if (!isReadable(guard, approvalId, downAtMs)) return 'tooEarly'
  if (keyBeforeAtMs !== null && downAtMs - keyBeforeAtMs < quietForMs) return 'tooEarly'
  return isYes && !isWhollySeen(guard, approvalId) ? 'unseen' : null
}
