import type { Item } from '../schema/item.ts'
import type { Turn } from '../schema/state.ts'

/** Records that the checks of a turn begin, or the end of one check. */
export function noteCheck(turn: Turn | null, item: Item): Turn | null {
  if (turn?.checks === undefined) return turn
  const { times = 0, failed } = turn.checked ?? {}
  if (item.type === 'userMessage' && item.ofChecks === true)
    return { ...turn, checked: { times: times + 1, failed: [] } }
  // Until the model is asked again, no other call ends.
  if (failed === undefined || !hasFailed(item)) return turn
  const { id: itemId, title, status } = item
  const exit = item.type === 'commandExecution' && item.exitCode !== undefined ? { exitCode: item.exitCode } : {}
  return { ...turn, checked: { times, failed: [...failed, { itemId, title, status, ...exit }] } }
}

/** Tells if a check has not passed; one that went to the background has no exit code. */
function hasFailed(item: Item): boolean {
  if (item.type === 'toolCall') return true
  return item.type === 'commandExecution' && (item.status !== 'completed' || item.exitCode !== 0)
}

/** Removes the results of the checks, since the model may change the files that they test. */
export function withoutChecked(turn: Turn): Turn {
  return turn.checked === undefined ? turn : { ...turn, checked: { times: turn.checked.times } }
}
