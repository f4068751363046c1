import type { ConversationState, Failure } from '@parley/protocol'

/** Returns what the provider refused in the last turn; null while a turn runs, or where it refused nothing. */
export function refusedNow(state: ConversationState | null): NonNullable<Failure['refused']> | null {
  if (state === null || state.core.turn !== null) return null
  return state.core.lastTurn?.failure?.refused ?? null
}
