import { statSync } from 'node:fs'
import type { CallToolResult, ProgressToken } from '@modelcontextprotocol/server'
import { promptHistoryPath } from '@parley/client'
import { readFile } from '@parley/client/low-level'
import { readUnlocked } from '@parley/host'
import { sessionPaths } from '@parley/journal'
import type { ConversationState, InputItem } from '@parley/protocol'
import { onOneLine } from '@parley/protocol/question'
import type { EventMsg } from '../../codex-events/event-msg.ts'
import { textMessagesOf } from '../../codex-events/translate.ts'
import { pictureContents } from '../../picture-contents.ts'
import type { McpConversation } from '../turns/mcp-conversation.ts'
import { ToolCallTurn } from '../turns/tool-call-turn.ts'
import { answered, brokenOff, type ToolCall } from './tool.ts'

/** Sends a message, reports the events of its turn, and resolves with the result. */
export async function runTurn(conversation: McpConversation, prompt: string, call: ToolCall): Promise<CallToolResult> {
  const { session, requestId, agent, signal } = call
  const { conversationId } = conversation
  const input: InputItem[] = [{ type: 'text', text: prompt }]
  const progress = createProgress(call.progressToken, (method, params) => session.notify(method, params, requestId))
  const turn = new ToolCallTurn({
    requestId,
    agent,
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
    case 'completed': {
      const result = answered(conversationId, end.text)
      const read = (file: string) => readFile(conversation.client, { conversationId, file })
      return { ...result, content: [...result.content, ...(await pictureContents(end.pictures, read))] }
    }
    case 'failed':
      return brokenOff(conversationId, end.message, call)
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
  /** Number of the file of the prompt history; 0 without one. */
  readonly history_log_id: number
  readonly history_entry_count: number
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
    ...promptHistory(home),
    rollout_path: sessionPaths(home, conversationId)?.log ?? '',
    ...(core.seq === 0 ? {} : { initial_messages: said }),
  }
}

/** Returns number and length of the prompt history of this user's terminals. */
function promptHistory(home: string): Pick<SessionConfigured, 'history_log_id' | 'history_entry_count'> {
  const path = promptHistoryPath(home)
  try {
    const entries = readUnlocked(path).split('\n')
    return { history_log_id: statSync(path).ino, history_entry_count: entries.length - 1 }
  } catch {
    return { history_log_id: 0, history_entry_count: 0 }
  }
}

/** Interval of progress notifications, since clients give up on a silent request. */
const heartbeatMs = 10_000

interface Progress {
  note(message: EventMsg): void
  stop(): void
}

type Notify = (method: 'notifications/progress', params: Record<string, unknown>) => void

/**
 * Sends progress notifications with a growing number and a line of text, to clients that gave a token, also while
 * nothing happens.
 */
export function createProgress(token: ProgressToken | undefined, notify: Notify, everyMs = heartbeatMs): Progress {
  if (token === undefined) return { note: () => undefined, stop: () => undefined }
  let progress = 0
  let line = 'Working'
  const send = () => {
    progress += 1
    notify('notifications/progress', { progressToken: token, progress, message: line })
  }
  const heartbeat = setInterval(send, everyMs).unref()
  return {
    note(message) {
      const note = progressNote(message)
      if (note === null) return
      line = note
      heartbeat.refresh()
      send()
    },
    stop: () => clearInterval(heartbeat),
  }
}

const maxLength = 200

/** Returns one line about the current step; null for messages that are no step. */
function progressNote(message: EventMsg): string | null {
  switch (message.type) {
    case 'task_started':
      return 'Working'
    case 'exec_command_begin':
      return line(`$ ${message.parsed_cmd[0]?.cmd ?? ''}`)
    case 'patch_apply_begin':
      return line(`Patch ${Object.keys(message.changes).join(', ')}`)
    case 'mcp_tool_call_begin':
      return line(`${message.invocation.server}: ${message.invocation.tool}`)
    case 'exec_approval_request':
    case 'apply_patch_approval_request':
    case 'elicitation_request':
      return 'Waiting for an answer'
    case 'agent_message':
    case 'stream_error':
      return line(message.message)
    default:
      return null
  }
}

function line(text: string): string {
  const [start = ''] = text.trim().split('\n', 1)
  const first = onOneLine(start)
  const characters = [...first]
  return characters.length <= maxLength ? first : `${characters.slice(0, maxLength - 1).join('')}…`
}
