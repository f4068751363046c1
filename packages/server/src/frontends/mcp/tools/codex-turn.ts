import type { CallToolResult } from '@modelcontextprotocol/server'
import { sessionPaths } from '@parley/journal'
import type { ConversationState, InputItem } from '@parley/protocol'
import type { EventMsg } from '../../../codex-events/event-msg.ts'
import { textMessagesOf } from '../../../codex-events/translate.ts'
import type { McpConversation } from '../turns/mcp-conversation.ts'
import { createProgress } from '../turns/progress.ts'
import { ToolCallTurn } from '../turns/tool-call-turn.ts'
import { answered, type ToolCall } from './tool.ts'

/** Sends a message, reports the events of its turn, and resolves with the result. */
export async function runTurn(conversation: McpConversation, prompt: string, call: ToolCall): Promise<CallToolResult> {
  const { session, requestId, signal } = call
  const { conversationId } = conversation
  const input: InputItem[] = [{ type: 'text', text: prompt }]
  const progress = createProgress(call.progressToken, (method, params) => session.notify(method, params, requestId))
  const turn = new ToolCallTurn({
    requestId,
    input,
    holdsApprovals: false,
    onMessage(eventId, message) {
      session.sendEvent({ requestId, threadId: conversationId, eventId }, message)
      progress.note(message)
    },
  })
  await send(conversation, turn, signal).catch((error: unknown) => {
    progress.stop()
    throw error
  })
  // A client that is gone has cancelled nothing; its turn goes on while the process lives.
  const stop = () => (session.isConnected ? void conversation.stop(turn) : undefined)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const end = await turn.ended.finally(progress.stop)
  signal.removeEventListener('abort', stop)
  switch (end.kind) {
    case 'completed':
      return answered(conversationId, end.text)
    case 'failed':
      return answered(conversationId, end.message, true)
    case 'interrupted':
      return answered(conversationId, 'The turn was interrupted.', true)
  }
}

async function send(conversation: McpConversation, turn: ToolCallTurn, signal: AbortSignal): Promise<void> {
  await conversation.resolveWaiting(turn)
  // The request was cancelled meanwhile.
  if (signal.aborted) turn.end({ kind: 'interrupted' })
  else await conversation.send(turn)
}

/** Sends `session_configured`, which clients expect before the events of a conversation's turns. */
export function sendSessionConfigured(conversation: McpConversation, { session, requestId }: ToolCall): void {
  const { conversationId, store } = conversation
  const _meta = { requestId, threadId: conversationId }
  session.notify('codex/event', { _meta, id: '', msg: sessionConfigured(store.state, session.home) }, requestId)
}

export function sendBackgroundEvent(
  conversation: McpConversation,
  message: string,
  { session, requestId }: ToolCall,
): void {
  session.sendEvent(
    { requestId, threadId: conversation.conversationId, eventId: '' },
    { type: 'background_event', message },
  )
}

/** First event of a conversation. */
interface SessionConfigured {
  readonly type: 'session_configured'
  readonly session_id: string
  readonly model: string
  /** There is no history file. */
  readonly history_log_id: 0
  readonly history_entry_count: 0
  readonly rollout_path: string
  /** Newest earlier messages of a loaded conversation. */
  readonly initial_messages?: readonly EventMsg[]
}

function sessionConfigured({ core, window }: ConversationState, home: string): SessionConfigured {
  const { conversationId } = core.meta
  const said = window.flatMap(({ item }) => textMessagesOf(item))
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
