import type { CallItem, ConversationEvent } from '@parley/protocol'
import type { TurnContext } from '../turn/turn-context.ts'

/** How a call ended is known only here, so this waits for a full disk. */
export async function completeCall({ conversation, patience }: TurnContext, item: CallItem): Promise<void> {
  const turnId = conversation.state.core.open[item.id]?.turnId
  const event: ConversationEvent = { type: 'item.completed', item }
  await patience.persist(() =>
    conversation.record(turnId === null || turnId === undefined ? event : { ...event, turnId }),
  )
}
