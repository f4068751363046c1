import type { ConversationEvent, Envelope, Item } from '@parley/protocol'
import type { RunEnd } from '../../../src/cli/run-ended.ts'

/** Events as they come from a server, numbered from 1. */
export function envelopes(...events: readonly ConversationEvent[]): Envelope[] {
  return events.map((event, at) => ({ conversationId: 'c-12345678', seq: at + 1, at: 0, event }))
}

export const shown = (id: string, title: string) => ({ id, title, text: '', status: 'proposed' as const })

export const message = (id: string, text: string): Item => ({
  ...shown(id, 'Answer'),
  type: 'agentMessage',
  status: 'completed',
  text,
})

type Command = Extract<Item, { type: 'commandExecution' }>

export const command = (id: string, title: string, more: Partial<Command> = {}): Command => ({
  ...shown(id, title),
  type: 'commandExecution',
  tool: 'shell',
  command: ['bash', '-c', title],
  cwd: '/w',
  ...more,
})

export const started = (item: Item): ConversationEvent => ({ type: 'item.started', turnId: 't-1', item })
export const delta = (itemId: string, text: string): ConversationEvent => ({ type: 'item.delta', itemId, text })
export const completed = (item: Item): ConversationEvent => ({ type: 'item.completed', turnId: 't-1', item })
export const executionStarted = (itemId: string): ConversationEvent => ({
  type: 'execution.started',
  itemId,
  attempt: 1,
  decidedBy: { rule: { name: 'builtin:known-safe' }, reason: 'it only looks' },
  payloadHash: 'sha256:0',
})

export const runEnd = (more: Partial<RunEnd> = {}): RunEnd => ({
  exitCode: 0,
  conversationId: 'c-12345678',
  turnId: 't-1',
  outcome: 'completed',
  stopReason: 'done',
  answer: null,
  failure: null,
  denials: [],
  usage: null,
  ...more,
})
