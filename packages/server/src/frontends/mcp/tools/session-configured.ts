import { sessionPaths } from '@parley/journal'
import type { ConversationState } from '@parley/protocol'
import type { EventMsg } from '../../../codex-events/event-msg.ts'
import { wordsOf } from '../../../codex-events/translate.ts'

/** The first event that a client is told of a conversation. */
export interface SessionConfigured {
  readonly type: 'session_configured'
  readonly session_id: string
  readonly model: string
  /** There is no file of prompts that history would be looked up in. */
  readonly history_log_id: 0
  readonly history_entry_count: 0
  readonly rollout_path: string
  /** What was said before, when it was loaded: its newest part, as far as the engine shows it at once. */
  readonly initial_messages?: readonly EventMsg[]
}

export function sessionConfigured({ core, window }: ConversationState, home: string): SessionConfigured {
  const { conversationId } = core.meta
  const said = window.flatMap(({ item }) => wordsOf(item))
  return {
    type: 'session_configured',
    session_id: conversationId,
    model: core.settings.model,
    history_log_id: 0,
    history_entry_count: 0,
    rollout_path: sessionPaths(home, conversationId)?.log ?? '',
    ...(core.seq === 0 ? {} : { initial_messages: said }),
  }
}
