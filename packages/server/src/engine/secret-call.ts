import type { CallItem, Item } from '@parley/protocol'
import type { ModelCall } from '../model/port.ts'
import { isCallItem } from './is-call-item.ts'
import type { Run } from './run.ts'

/** Only in memory: what runs is exactly this, and what is kept of it has marks in place of its secrets. */
export function keepExact({ conversation, bench }: Run, itemId: string, call: ModelCall): void {
  const { secretCalls } = bench
  for (const known of secretCalls.keys())
    if (conversation.state.core.open[known] === undefined) secretCalls.delete(known)
  secretCalls.set(itemId, call)
}

export function unrestorable(item: Item): Item {
  return isCallItem(item) ? { ...item, restorable: false } : item
}

/** The call as the model made it; null where nobody knows it, or where a secret in it is not known any more. */
export function exactCall({ conversation, bench }: Run, item: CallItem): ModelCall | null {
  const exact = bench.secretCalls.get(item.id)
  if (exact !== undefined || item.restorable === false) return exact ?? null
  return conversation.view.callOf(item.id)
}
