import {
  type ConversationEvent,
  type ConversationState,
  type Failure,
  type Item,
  type ItemOf,
  initialState,
  reduce,
} from '@parley/protocol'

export const startedAt = 1_700_000_000_000
export const tokens = { inputTokens: 4_000, cachedInputTokens: 0, outputTokens: 350, reasoningTokens: 0 }
export const me = { clientId: 'client-1', name: 'parley' }
export const colleague = { clientId: 'client-2', name: 'editor' }

const created: ConversationEvent = {
  type: 'conversation.created',
  cwd: '/home/ada/shop',
  program: 'parley 0.1.0',
  settings: {
    model: 'gpt-5',
    modelProvider: 'openai',
    effort: 'high',
    approvalPolicy: 'on-request',
    sandbox: 'workspace-write',
    enforcement: 'none',
    writableRoots: [],
  },
}

/** The state after these events of a conversation; one event a second. */
export function after(...events: readonly ConversationEvent[]): ConversationState {
  return [created, ...events].reduce(
    (state, event, index) =>
      reduce(state, { conversationId: 'c', seq: index + 1, at: startedAt + index * 1000, event }),
    initialState('c'),
  )
}

/** States one after the other, as a client sees them. */
export function* states(events: readonly ConversationEvent[]): Generator<ConversationState> {
  for (let count = 0; count <= events.length; count++) yield after(...events.slice(0, count))
}

export const turnStarted: ConversationEvent = { type: 'turn.started', turnId: 't1', trigger: 'message' }

export function turnEnded(
  outcome: 'completed' | 'interrupted' | 'failed' = 'completed',
  failure?: Failure,
): ConversationEvent {
  const end = { type: 'turn.ended', turnId: 't1', outcome, usage: tokens } as const
  return failure === undefined ? { ...end, denials: [] } : { ...end, denials: [], failure }
}

export function completed(item: Item): ConversationEvent {
  return { type: 'item.completed', turnId: 't1', item }
}

export function started(item: Item): ConversationEvent {
  return { type: 'item.started', turnId: 't1', item }
}

export function delta(itemId: string, text: string): ConversationEvent {
  return { type: 'item.delta', itemId, text }
}

export function executionStarted(itemId: string): ConversationEvent {
  return {
    type: 'execution.started',
    itemId,
    attempt: 1,
    decidedBy: { rule: { name: 'builtin:known-safe' }, reason: 'It only looks.' },
    payloadHash: 'sha256:0',
  }
}

export function userMessage(text: string, id = `u-${text.slice(0, 8)}`): Extract<Item, { type: 'userMessage' }> {
  return { id, type: 'userMessage', status: 'completed', title: text, text, content: [{ type: 'text', text }] }
}

export function answer(text: string, id = 'm1', status: Item['status'] = 'completed'): Item {
  return { id, type: 'agentMessage', status, title: 'Answer', text }
}

type CommandFields = Partial<Extract<Item, { type: 'commandExecution' }>>

export function command(text: string, fields: CommandFields = {}): Item {
  return {
    id: 'x1',
    type: 'commandExecution',
    status: 'proposed',
    title: text.split('\n', 1)[0] ?? '',
    text,
    tool: 'shell',
    command: ['/bin/sh', '-c', text],
    cwd: '/home/ada/shop',
    ...fields,
  }
}

export function ended(text: string, output: string, exitCode = 0, fields: CommandFields = {}): Item {
  return command(text, {
    status: exitCode === 0 ? 'completed' : 'failed',
    exitCode,
    durationMs: 1_234,
    output: { head: output, tail: '', totalBytes: output.length, omittedBytes: 0 },
    ...fields,
  })
}

export const diff = `--- a/src/cart.js
+++ b/src/cart.js
@@ -4,5 +4,5 @@
 
 /** The amount after a discount of so many percent. */
 export function withDiscount(amount, percent) {
-  return amount - percent
+  return amount - (amount * percent) / 100
 }
`

export function patch(status: Item['status']): Item {
  return {
    id: 'p1',
    type: 'fileChange',
    status,
    title: 'Patch src/cart.js',
    text: '*** Begin Patch',
    tool: 'apply_patch',
    patchHash: 'sha256:1',
    changes: [{ path: 'src/cart.js', kind: 'update', additions: 1, deletions: 1, diff, before: 'a', after: 'b' }],
  }
}

export function lookUp(title: string, id: string): Item {
  return { id, type: 'toolCall', status: 'completed', title, text: '', tool: 'read_file', input: '{}', readOnly: true }
}

type Asked = Partial<Extract<ConversationEvent, { type: 'approval.requested' }>['approval']>

export function requested(fields: Asked = {}): ConversationEvent {
  return {
    type: 'approval.requested',
    approval: {
      id: 'a1',
      itemId: 'x1',
      turnId: 't1',
      kind: 'command',
      title: 'npm install left-pad',
      detail: 'npm install left-pad',
      cwd: '/home/ada/shop',
      sandbox: 'none',
      reason: 'Nothing here enforces a sandbox, so what is not known to be harmless is asked.',
      rule: { name: 'builtin:no-sandbox' },
      decisions: ['approved', 'approvedForSession', 'denied', 'abort'],
      forSession: { covers: 'exactly this command' },
      answerableBy: ['client-1'],
      ...fields,
    },
  }
}

export function toolCall(title: string, id = 'l1'): Extract<Item, { type: 'toolCall' }> {
  return { id, type: 'toolCall', status: 'inProgress', title, text: '', tool: 'tracker__create_issue', input: '{}' }
}

/** A tool server's question with a field of each kind. */
export const elicitation = requested({
  itemId: 'l1',
  kind: 'elicitation',
  title: 'What shall the issue be?',
  detail: 'What shall the issue be?',
  reason: 'The MCP server "tracker" asks.',
  rule: { name: 'mcp:elicitation' },
  decisions: ['approved', 'denied', 'abort'],
  form: {
    fields: [
      {
        name: 'kind',
        title: 'Kind',
        type: 'choice',
        choices: [
          { value: 'bug', title: 'A bug' },
          { value: 'wish', title: 'A wish' },
        ],
        required: true,
      },
      { name: 'urgent', title: 'Urgent', type: 'boolean', required: false },
      { name: 'title', title: 'Title', description: 'one line', type: 'string', required: true },
      { name: 'hours', title: 'Hours', type: 'integer', required: false, default: 2 },
    ],
  },
})

export function queued(text: string, when: 'steer' | 'queue', messageId = text, by = me): ConversationEvent {
  return { type: 'message.queued', message: { messageId, when, content: [{ type: 'text', text }], by } }
}

/** A command that the user runs with `!`. */
export function shellCommand(line: string): ItemOf<'shellCommand'> {
  return {
    id: 's',
    type: 'shellCommand',
    status: 'inProgress',
    title: `! ${line}`,
    text: line,
    command: line,
    cwd: '/x',
    by: me,
  }
}

/** A look-up as the server records it: its facts say that it only reads. */
export function read(title: string, id: string, fields: Partial<ItemOf<'toolCall'>> = {}): ItemOf<'toolCall'> {
  return {
    ...{ id, type: 'toolCall', status: 'completed', title, text: '', tool: 'read_file', input: '{}', readOnly: true },
    facts: { kind: 'read', paths: [] },
    ...fields,
  }
}

/** A command of which the server says that all its programs only look. */
export function looking(text: string, id: string, fields: CommandFields = {}): Item {
  const parts = text.split(' | ').map((part) => ({ argv: part.split(' ') }))
  return ended(text, 'found\n', 0, {
    id,
    durationMs: 40,
    facts: { kind: 'command', knownSafe: true, parts },
    ...fields,
  })
}

const compaction: ItemOf<'contextCompaction'> = {
  id: 'k1',
  type: 'contextCompaction',
  status: 'inProgress',
  title: 'Compacting 182,000 tokens',
  text: '## Goal\nMake the discount a share of the amount.\n\n## State of the work\nThe cart is done.\n\n## Next\nThe tests.',
  trigger: 'manual',
}

const compacting: ConversationEvent = { type: 'turn.started', turnId: 't1', trigger: 'compaction' }
const compacted = 'Compacted: 182,000 tokens → 21,000 tokens'

/** Turns that only compact. */
export const compactions = {
  running: [compacting, started(compaction)],
  done: [compacting, completed({ ...compaction, status: 'completed', title: compacted }), turnEnded()],
}
