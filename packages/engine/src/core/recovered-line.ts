import { type ConversationCore, type ConversationEvent, type ItemId, unansweredApprovals } from '@parley/protocol'

/** Returns the line about the remains of a crash; null once it is no longer true. */
export type RecoveredLine = (core: ConversationCore) => string | null

export const nothingRecovered: RecoveredLine = () => null

/** Returns the line of a recovery from `before`; it holds until the named work is over or the next turn begins. */
export function recoveredLine(
  [first, ...settling]: readonly ConversationEvent[],
  before: ConversationCore,
  runningOn: ReadonlyMap<ItemId, number>,
): RecoveredLine {
  if (first?.type !== 'conversation.recovered') return nothingRecovered
  const { text, pending } = first
  const { turns } = before.counts
  const turn = settling.some(({ type }) => type === 'turn.ended') ? null : (before.turn?.id ?? null)
  return (core) => {
    const asked = new Set(unansweredApprovals(core).map(({ id }) => id))
    const areRunning = [...runningOn.keys()].every((id) => id in core.open || id in (core.background ?? {}))
    const isTurn = core.counts.turns === turns && (core.turn?.id ?? null) === turn
    return isTurn && areRunning && pending.every((id) => asked.has(id)) ? text : null
  }
}
