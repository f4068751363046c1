import { reduceApproval } from './reduce/approvals.ts'
import { reduceInbox } from './reduce/inbox.ts'
import { reduceItem } from './reduce/items.ts'
import { reduceMeta } from './reduce/meta.ts'
import { reduceTurn } from './reduce/turns.ts'
import type { Envelope } from './schema/event.ts'
import type { ConversationState } from './schema/state.ts'

/**
 * The one fold: server, clients and resume make state with it and nothing else does. Total and pure; an event of an
 * unknown type only moves `seq`. Accepts any higher seq (finding gaps is the client store's job); a seq already
 * folded changes nothing.
 */
export function reduce(state: ConversationState, envelope: Envelope): ConversationState {
  if (envelope.seq <= state.core.seq) return state
  const next = reduceEvent(state, envelope)
  return { core: { ...next.core, seq: envelope.seq }, window: next.window }
}

function reduceEvent(state: ConversationState, envelope: Envelope): ConversationState {
  const { event } = envelope
  switch (event.type) {
    case 'item.started':
    case 'item.delta':
    case 'item.progress':
    case 'item.began':
    case 'item.attempted':
    case 'item.completed':
    case 'item.discarded':
      return reduceItem(state, event, envelope)
    case 'turn.started':
    case 'turn.parked':
    case 'turn.continued':
    case 'turn.ended':
    case 'model.requested':
    case 'model.responded':
    case 'retry.scheduled':
    case 'usage.updated':
      return { ...state, core: reduceTurn(state.core, event, envelope.at) }
    case 'approval.requested':
    case 'approval.decided':
      return { ...state, core: reduceApproval(state.core, event) }
    case 'message.queued':
    case 'message.edited':
    case 'message.removed':
    case 'message.consumed':
      return { ...state, core: reduceInbox(state.core, event, envelope.seq) }
    case 'conversation.created':
    case 'conversation.configured':
    case 'conversation.moved':
    case 'conversation.renamed':
    case 'conversation.archived':
    case 'conversation.recovered':
    case 'context.set':
    case 'plan.updated':
      return { ...state, core: reduceMeta(state.core, event, envelope.at) }
    default:
      return state
  }
}
