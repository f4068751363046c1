import type { ModelCall } from '@parley/models'
import type { CallItem, Item } from '@parley/protocol'
import type { TurnContext } from '../turn/turn-context.ts'
import { isCallItem } from './is-call-item.ts'

/** Only in memory: what runs is exactly this, and what is kept of it has marks in place of its secrets. */
export function keepExact({ conversation, modules }: TurnContext, itemId: string, call: ModelCall): void {
  const { secretCalls } = modules.memory
  for (const known of secretCalls.keys())
    if (conversation.state.core.open[known] === undefined) secretCalls.delete(known)
  secretCalls.set(itemId, call)
}

export function unrestorable(item: Item): Item {
  return isCallItem(item) ? { ...item, restorable: false } : item
}

/** What the model wrote, of a patch its text and else its arguments; null of a call without a secret in it. */
export function exactText({ modules }: TurnContext, item: CallItem): string | null {
  const exact = modules.memory.secretCalls.get(item.id)
  if (exact === undefined) return null
  if (item.type !== 'fileChange') return exact.arguments
  const written: unknown = JSON.parse(exact.arguments)
  const isPatch = typeof written === 'object' && written !== null && 'patch' in written
  return isPatch && typeof written.patch === 'string' ? written.patch : exact.arguments
}

/** The call as the model made it; null where nobody knows it, or where a secret in it is not known any more. */
export function exactCall({ conversation, modules }: TurnContext, item: CallItem): ModelCall | null {
  const exact = modules.memory.secretCalls.get(item.id)
  if (exact !== undefined || item.restorable === false) return exact ?? null
  return conversation.view.callOf(item.id)
}
