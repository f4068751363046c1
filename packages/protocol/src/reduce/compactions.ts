import type { EventOf } from '../schema/event.ts'
import type { ItemOf } from '../schema/item.ts'
import type { Compactions, Core } from '../schema/state.ts'
import { valueAt } from './approvals.ts'

export type CompactionEvent = EventOf<'context.cleared' | 'context.compacted' | 'context.restored'>

/** Number of compactions that can be undone one after the other. */
const keptCompactions = 20

const none: Compactions = { applied: [], held: false, tried: false, repeated: false }

export function reduceCompaction(core: Core, event: CompactionEvent, seq: number): Core {
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

function estimated(inputTokens: number): Core['usage']['last'] {
  return { inputTokens, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }
}

/** Marks the item as done, so that a log cut right behind the event does not end it as interrupted. */
function withDoneItem(core: Core, event: EventOf<'context.cleared' | 'context.compacted'>): Core {
  const open = valueAt(core.open, event.itemId)
  if (open === undefined) return core
  const item = { ...open.item, status: 'completed' as const }
  return { ...core, open: { ...core.open, [event.itemId]: { ...open, item } } }
}

export function compactionStarted(core: Core, { trigger }: ItemOf<'contextCompaction'>): Core {
  const known = core.compactions ?? none
  return { ...core, compactions: { ...known, repeated: known.repeated || trigger === 'contextTooLong' } }
}

/**
 * Holds off further compactions in this turn after one that failed: the next would fail too, and costs a call. One that
 * was asked for may have a turn of its own, and holds nothing off.
 */
export function compactionEnded(core: Core, { status, trigger }: ItemOf<'contextCompaction'>): Core {
  const known = core.compactions ?? none
  return {
    ...core,
    compactions: { ...known, tried: true, held: known.held || (status === 'failed' && trigger !== 'manual') },
  }
}

/** Allows compactions again: the newest request was answered. */
export function afterResponse(core: Core): Core {
  const { compactions: known } = core
  if (known === undefined || !(known.tried || known.repeated)) return core
  return { ...core, compactions: { ...known, tried: false, repeated: false } }
}

/** Ends what holds for one turn. A turn that only compacted does not count. */
export function afterTurn(core: Core): Core {
  const { compactions: known, turn } = core
  if (known === undefined || turn?.trigger === 'compaction' || !(known.held || known.repeated)) return core
  return { ...core, compactions: { ...known, held: false, repeated: false } }
}
