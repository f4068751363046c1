import {
  addTokens,
  answerAfter,
  answerText,
  type ConversationEvent,
  type Envelope,
  type EventOf,
  type Item,
  type ItemOf,
  type TokenCounts,
} from '@parley/protocol'
import { showHidden } from '@parley/protocol/question'
import { base64Of, utf8Bytes } from '@parley/text'
import { approvalMessage } from './approvals.ts'
import { beginningOf, endingOf } from './call-messages.ts'
import type { EventMsg, PlanStep, TokenUsage } from './event-msg.ts'
import { noMessage } from './events-without-message.ts'
import { entryOf, type Memory, withOpenItem, withoutItem } from './memory.ts'

export interface Translated {
  readonly memory: Memory
  /** Messages of one event, in order; mostly one. */
  readonly messages: readonly EventMsg[]
}

/**
 * Translates one event of the log into the messages of Codex clients. Returns the messages and the state for the next
 * event.
 */
export function translate(memory: Memory, { event }: Pick<Envelope, 'event'>): Translated {
  switch (event.type) {
    case 'conversation.created':
    case 'conversation.moved':
      return { memory: { ...memory, cwd: event.cwd }, messages: [] }
    case 'turn.started':
      return {
        memory: { ...memory, answer: [], changed: [], lastError: null },
        messages: [{ type: 'task_started' }],
      }
    case 'turn.ended':
      return { memory, messages: turnEnded(memory, event) }
    case 'item.started':
      return started(memory, event.item)
    case 'execution.started':
      return startedExecution(memory, event)
    case 'execution.failed':
      return failedExecution(memory, event.item)
    case 'item.completed':
      return completed(memory, event.item)
    case 'item.discarded':
      return { memory: withoutItem(memory, event.itemId), messages: [] }
    case 'usage.updated':
      return usageUpdated(memory, event)
    default:
      return { memory, messages: messagesOf(memory, event) }
  }
}

type Remembered =
  | 'conversation.created'
  | 'conversation.moved'
  | 'turn.started'
  | 'turn.ended'
  | 'item.started'
  | 'execution.started'
  | 'execution.failed'
  | 'item.completed'
  | 'item.discarded'
  | 'usage.updated'

/** Returns the messages of events that leave the state unchanged. */
function messagesOf(memory: Memory, event: Exclude<ConversationEvent, { type: Remembered }>): readonly EventMsg[] {
  switch (event.type) {
    case 'item.delta':
      return deltaOf(entryOf(memory, event.itemId)?.item ?? null, event)
    case 'item.progress': {
      const title = entryOf(memory, event.itemId)?.item.title ?? event.itemId
      return [background(`${title}: ${event.totalBytes} bytes of output so far; its end comes when it has ended.`)]
    }
    case 'approval.requested':
      return [approvalMessage(event.approval, entryOf(memory, event.approval.itemId)?.item ?? null)]
    case 'plan.updated': {
      const plan = event.plan.steps.map(({ step, status }): PlanStep => {
        return { step, status: status === 'inProgress' ? 'in_progress' : status }
      })
      return [{ type: 'plan_update', explanation: event.plan.explanation ?? null, plan }]
    }
    case 'context.compacted':
      return [{ type: 'context_compacted' }]
    case 'retry.scheduled':
      return [{ type: 'stream_error', message: showHidden(event.failure.message) }]
    case 'turn.parked':
      return [background(event.reason)]
    case 'conversation.recovered':
      return [background(event.text)]
    // These clients have no messages for settings and names.
    case 'conversation.configured':
    case 'conversation.renamed':
      return []
    default:
      return noMessage(event)
  }
}

function started(memory: Memory, item: Item): Translated {
  // The user's own command needs no approval; it runs as soon as its item starts.
  const runs = item.type === 'shellCommand'
  return {
    memory: withOpenItem(memory, { item, executionStarted: runs }),
    messages: runs ? beginningOf(item, { allowed: true, cwd: memory.cwd }) : [],
  }
}

function startedExecution(memory: Memory, { itemId, changes, decidedBy }: EventOf<'execution.started'>): Translated {
  const entry = entryOf(memory, itemId)
  if (entry === null) return { memory, messages: [] }
  return {
    memory: withOpenItem(memory, { ...entry, executionStarted: true }),
    messages: beginningOf(entry.item, {
      ...(changes === undefined ? {} : { changes }),
      allowed: 'rule' in decidedBy,
      cwd: memory.cwd,
    }),
  }
}

/** Ends an attempt. A further attempt starts and ends once more under the same id. */
function failedExecution(memory: Memory, item: Item): Translated {
  return { memory: withOpenItem(memory, { item, executionStarted: false }), messages: endingOf(item) }
}

function completed(memory: Memory, item: Item): Translated {
  const after = withoutItem(memory, item.id)
  switch (item.type) {
    case 'agentMessage': {
      if (item.text === '') return { memory: after, messages: [] }
      const answer = answerAfter(after.answer, item)
      return { memory: { ...after, answer }, messages: [{ type: 'agent_message', message: item.text }] }
    }
    case 'notice':
      if (item.level === 'error') {
        return { memory: { ...after, lastError: item.title }, messages: [{ type: 'error', message: item.title }] }
      }
      return { memory: after, messages: noticeMessages(item.code, item.title) }
    case 'fileChange':
      return patchCompleted(memory, after, item)
    case 'commandExecution':
      if (isStarted(memory, item)) return { memory: after, messages: endingOf(item) }
      return { memory: after, messages: neverStarted(item, memory.cwd) }
    default:
      return { memory: after, messages: isStarted(memory, item) ? endingOf(item) : textMessagesOf(item) }
  }
}

function isStarted(memory: Memory, { id }: Item): boolean {
  return entryOf(memory, id)?.executionStarted === true
}

/**
 * Returns the messages of a command that could not start, so that clients learn the reason; a denied command has no
 * message.
 */
function neverStarted(item: ItemOf<'commandExecution'>, cwd: string): readonly EventMsg[] {
  if (item.failure === undefined || item.command.length === 0) return []
  return [...beginningOf(item, { allowed: false, cwd }), ...endingOf(item)]
}

/** Notices that `turn_aborted` already reports. */
const ends: ReadonlySet<string> = new Set(['interrupted', 'shutdown'])

function noticeMessages(code: string, title: string): readonly EventMsg[] {
  return ends.has(code) ? [] : [background(title)]
}

/** Ends a patch, and sends the diff of the turn when it has changed. */
function patchCompleted(before: Memory, after: Memory, item: Extract<Item, { type: 'fileChange' }>): Translated {
  if (!isStarted(before, item)) return { memory: after, messages: [] }
  const ending = endingOf(item)
  if (item.status !== 'completed' || item.changes.length === 0) return { memory: after, messages: ending }
  const changed = [...after.changed, ...item.changes]
  const unified = changed.map(({ diff }) => diff).join('')
  return { memory: { ...after, changed }, messages: [...ending, { type: 'turn_diff', unified_diff: unified }] }
}

/** Returns the messages of a finished item that is no call. */
export function textMessagesOf(item: Item): readonly EventMsg[] {
  switch (item.type) {
    case 'userMessage':
      return [{ type: 'user_message', message: item.text, kind: 'plain' }]
    case 'agentMessage':
      return item.text === '' ? [] : [{ type: 'agent_message', message: item.text }]
    case 'reasoning':
      if (item.text === '') return []
      return [{ type: item.raw ? 'agent_reasoning_raw_content' : 'agent_reasoning', text: item.text }]
    default:
      return []
  }
}

function deltaOf(item: Item | null, { itemId, text }: EventOf<'item.delta'>): readonly EventMsg[] {
  if (text === '') return []
  switch (item?.type) {
    case 'agentMessage':
      return [{ type: 'agent_message_delta', delta: text }]
    case 'reasoning':
      return [{ type: item.raw ? 'agent_reasoning_raw_content_delta' : 'agent_reasoning_delta', delta: text }]
    case 'commandExecution':
    case 'shellCommand':
      return [
        { type: 'exec_command_output_delta', call_id: itemId, stream: 'stdout', chunk: base64Of(utf8Bytes(text)) },
      ]
    default:
      return []
  }
}

function turnEnded({ answer, lastError }: Memory, { outcome, failure }: EventOf<'turn.ended'>): readonly EventMsg[] {
  if (outcome === 'interrupted') return [{ type: 'turn_aborted', reason: 'interrupted' }]
  const end: EventMsg = { type: 'task_complete', last_agent_message: answerText(answer) }
  if (failure === undefined || failure.message === lastError) return [end]
  return [{ type: 'error', message: failure.message }, end]
}

function usageUpdated(memory: Memory, { counts, contextWindow, purpose }: EventOf<'usage.updated'>): Translated {
  const total = addTokens(memory.usage.total, counts)
  const window = purpose === undefined ? (contextWindow ?? null) : memory.usage.contextWindow
  return {
    memory: { ...memory, usage: { total, contextWindow: window } },
    messages: [
      {
        type: 'token_count',
        info: {
          total_token_usage: usageOf(total),
          last_token_usage: usageOf(counts),
          model_context_window: window,
        },
      },
    ],
  }
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: TokenCounts): TokenUsage {
  return {
    input_tokens: inputTokens,
    cached_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
    reasoning_output_tokens: reasoningTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

function background(message: string): EventMsg {
  return { type: 'background_event', message: showHidden(message) }
}
