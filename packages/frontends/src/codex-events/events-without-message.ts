import type { ConversationEvent } from '@parley/protocol'

/**
 * Events that no client of another protocol gets a message about: such a client has no place for them, or learns the
 * same from another event.
 */
type WithoutMessage =
  | 'conversation.archived'
  | 'conversation.shared'
  | 'conversation.upgraded'
  | 'context.set'
  | 'context.cleared'
  | 'context.restored'
  | 'message.queued'
  | 'message.edited'
  | 'message.removed'
  | 'message.consumed'
  | 'turn.continued'
  | 'model.requested'
  | 'model.responded'
  | 'model.fellBack'
  | 'approval.decided'
  | 'files.changed'
  | 'forwards.changed'
  | 'waits.changed'
  | 'hooks.started'
  | 'hook.running'
  | 'hook.ran'

/**
 * Ends the list of cases of a translator, which compiles only while each other event has its case. Events of newer
 * servers get no message, either.
 */
export function noMessage(_event: Extract<ConversationEvent, { type: WithoutMessage }>): readonly never[] {
  return []
}
