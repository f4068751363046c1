import type { Envelope, EventOf, Item, TurnId } from '@parley/protocol'
import type { EventMsg, TurnItem } from './event-msg.ts'
import { noMessage } from './events-without-message.ts'
import { entryOf, type Memory } from './memory.ts'

/**
 * Returns the messages that Codex since 0.61 sends about messages and reasoning beside the older ones: items that start
 * and complete, and their deltas with ids. `memory` is the state before the event.
 */
export function itemMessages(
  memory: Memory,
  { conversationId, event }: Pick<Envelope, 'conversationId' | 'event'>,
  turnId: TurnId,
): readonly EventMsg[] {
  const ids = { thread_id: conversationId, turn_id: turnId }
  switch (event.type) {
    case 'item.started':
      return turnItemsOf(event.item).map((item) => ({ type: 'item_started', ...ids, item }))
    case 'item.completed':
      return turnItemsOf(event.item).flatMap((item): readonly EventMsg[] => {
        const completed = { type: 'item_completed', ...ids, item } as const
        // An item that comes whole has not started before.
        return entryOf(memory, event.item.id) === null
          ? [{ ...completed, type: 'item_started' }, completed]
          : [completed]
      })
    case 'item.delta':
      return deltaOf(entryOf(memory, event.itemId)?.item ?? null, { ...ids, item_id: event.itemId }, event)
    // The older messages alone report these.
    case 'conversation.created':
    case 'conversation.moved':
    case 'conversation.configured':
    case 'conversation.renamed':
    case 'conversation.recovered':
    case 'turn.started':
    case 'turn.parked':
    case 'turn.ended':
    case 'item.progress':
    case 'item.discarded':
    case 'execution.started':
    case 'execution.failed':
    case 'approval.requested':
    case 'plan.updated':
    case 'usage.updated':
    case 'context.compacted':
    case 'retry.scheduled':
      return []
    default:
      return noMessage(event)
  }
}

type Ids = { readonly thread_id: string; readonly turn_id: string; readonly item_id: string }

function deltaOf(item: Item | null, ids: Ids, { text: delta }: EventOf<'item.delta'>): readonly EventMsg[] {
  if (delta === '') return []
  if (item?.type === 'agentMessage') return [{ type: 'agent_message_content_delta', ...ids, delta }]
  if (item?.type !== 'reasoning') return []
  return item.raw === true
    ? [{ type: 'reasoning_raw_content_delta', ...ids, delta, content_index: 0 }]
    : [{ type: 'reasoning_content_delta', ...ids, delta, summary_index: 0 }]
}

/** Returns an item in the form of these messages; empty for items that they leave out. */
function turnItemsOf(item: Item): readonly TurnItem[] {
  const { id } = item
  switch (item.type) {
    case 'userMessage':
      return [{ type: 'UserMessage', id, content: [{ type: 'text', text: item.text }] }]
    case 'agentMessage':
      return [{ type: 'AgentMessage', id, content: item.text === '' ? [] : [{ type: 'Text', text: item.text }] }]
    case 'reasoning': {
      const texts = item.text === '' ? [] : [item.text]
      return [
        {
          type: 'Reasoning',
          id,
          summary_text: item.raw === true ? [] : texts,
          raw_content: item.raw === true ? texts : [],
        },
      ]
    }
    case 'contextCompaction':
      return [{ type: 'ContextCompaction', id }]
    // The older messages are about calls and notices.
    case 'commandExecution':
    case 'shellCommand':
    case 'toolCall':
    case 'fileChange':
    case 'notice':
      return []
    default:
      return noTurnItem(item)
  }
}

/** Compiles only while each type of item has its case. Types of newer servers are left out, too. */
function noTurnItem(_item: never): readonly never[] {
  return []
}
