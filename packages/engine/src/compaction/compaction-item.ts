import type { ItemOf, TurnId } from '@parley/protocol'
import type { ModelContext } from '../roles/roles.ts'
import { requestTokens } from './when-due.ts'

type CompactionItem = ItemOf<'contextCompaction'>
type Trigger = CompactionItem['trigger']

export function compactionItem(id: string, trigger: Trigger, tokens: number): CompactionItem {
  return {
    id,
    type: 'contextCompaction',
    status: 'proposed',
    title: `Compacting ${counted(tokens)}`,
    text: '',
    trigger,
  }
}

/**
 * Asks for a compaction after a request that was too long. Returns false when that was done for this request already, or
 * there is nothing to compact.
 */
export function askToCompact({ record: { conversation, ids } }: ModelContext, turnId: TurnId): boolean {
  const { compactions } = conversation.state.core
  if (compactions?.repeated === true || !conversation.view.request.isAnswered()) return false
  const item = compactionItem(ids.item(), 'contextTooLong', requestTokens(conversation))
  conversation.record({ type: 'item.started', turnId, item })
  return true
}

/** Returns a number of tokens for people. */
export function counted(tokens: number): string {
  return `${tokens.toLocaleString('en-US')} tokens`
}
