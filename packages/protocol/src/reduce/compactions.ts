import type { EventOf } from '../schema/event.ts'
import type { ItemOf } from '../schema/item.ts'
import type { Compactions, ConversationCore } from '../schema/state.ts'
import { valueAt } from './approvals.ts'

export type CompactionEvent = EventOf<'context.cleared' | 'context.compacted' | 'context.restored'>

/** Number of compactions that can be undone, one after the other. */
const keptCompactions = 20

const none: Compactions = { applied: [], held: false, tried: false, repeated: false }

export function reduceCompaction(core: ConversationCore, event: CompactionEvent, seq: number): ConversationCore {
  const known = core.compactions ?? none
  const counted = { ...core, usage: { ...core.usage, last: estimated(event.tokensAfter) } }
  if (event.type === 'context.restored') {
    const applied = known.applied.filter((one) => one.seq !== event.seq)
    return { ...counted, compactions: { ...known, applied, held: true } }
  }
  const kind = event.type === 'context.compacted' ? 'compacted' : 'cleared'
  const { tokensBefore, tokensAfter } = event
  const applied = [...known.applied, { seq, kind, tokensBefore, tokensAfter } as const].slice(-keptCompactions)
  return { ...withDoneItem(counted, event), compactions: { ...known, applied } }
}

function estimated(inputTokens: number): ConversationCore['usage']['last'] {
  return { inputTokens, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }
}

/** Marks the item as done, so that a log cut right behind the event does not end it as interrupted. */
function withDoneItem(
  core: ConversationCore,
  event: EventOf<'context.cleared' | 'context.compacted'>,
): ConversationCore {
  const open = valueAt(core.open, event.itemId)
  if (open === undefined) return core
  const item = { ...open.item, status: 'completed' as const }
  return { ...core, open: { ...core.open, [event.itemId]: { ...open, item } } }
}

export function compactionStarted(core: ConversationCore, { trigger }: ItemOf<'contextCompaction'>): ConversationCore {
  const known = core.compactions ?? none
  return { ...core, compactions: { ...known, repeated: known.repeated || trigger === 'contextTooLong' } }
}

/**
 * Prevents further automatic compactions in this turn after a failed one: the next would fail too, and costs a call. A
 * compaction that a user asked for may have a turn of its own and prevents nothing.
 */
export function compactionEnded(
  core: ConversationCore,
  { status, trigger }: ItemOf<'contextCompaction'>,
): ConversationCore {
  const known = core.compactions ?? none
  return {
    ...core,
    compactions: { ...known, tried: true, held: known.held || (status === 'failed' && trigger !== 'manual') },
  }
}

/** Allows compactions again: the newest request was answered. */
export function afterResponse(core: ConversationCore): ConversationCore {
  const { compactions: known } = core
  if (known === undefined || !(known.tried || known.repeated)) return core
  return { ...core, compactions: { ...known, tried: false, repeated: false } }
}

/** Removes the compaction state of one turn. A turn that only compacted does not count. */
export function afterTurn(core: ConversationCore): ConversationCore {
  const { compactions: known, turn } = core
  if (known === undefined || turn?.trigger === 'compaction' || !(known.held || known.repeated)) return core
  return { ...core, compactions: { ...known, held: false, repeated: false } }
}
