import type { Conversation } from '@parley/client'
import type { ExecFlags } from '../../cli/flags.ts'

/** Line about a run that goes on with a review. */
export const reviewGoesOn =
  'The review that was not finished goes on: nothing is changed and nobody is asked. For an ordinary turn give --mode edit.'

/** Tells if the next message goes on with a review that did not end by itself; flags about limits ask for an ordinary turn. */
export function goesOnReview(
  { attached, state }: Pick<Conversation, 'attached' | 'state'>,
  { mode, sandbox, askForApproval }: ExecFlags,
): boolean {
  const { turn, lastTurn } = state.core
  const ended = lastTurn?.outcome === 'completed' ? undefined : lastTurn?.purpose
  const unfinished = turn === null ? ended : turn.purpose
  return unfinished === 'review' && !attached && (mode ?? sandbox ?? askForApproval) === undefined
}
