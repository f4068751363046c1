import type { ConversationEvent, FileChangeEntry, Item, ItemOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { emptyMemory } from '../../src/codex-events/memory.ts'
import { translate } from '../../src/codex-events/translate.ts'

const shown = { id: 'i1', status: 'inProgress', title: 'ls', text: 'ls' } as const
const command: ItemOf<'commandExecution'> = {
  ...shown,
  type: 'commandExecution',
  tool: 'shell',
  command: ['/bin/sh', '-c', 'ls'],
  cwd: '/w',
}
const output = { head: 'a\n', tail: '', totalBytes: 2, omittedBytes: 0 }
const change: FileChangeEntry = {
  path: 'a.txt',
  kind: 'update',
  additions: 1,
  deletions: 1,
  diff: '--- a.txt\n+++ b.txt\n@@ -1,1 +1,1 @@\n-x\n+y\n',
  movedTo: 'b.txt',
  before: null,
  after: null,
}
const patch: ItemOf<'fileChange'> = { ...shown, type: 'fileChange', tool: 'apply_patch', changes: [], patchHash: 'h' }
const tool: ItemOf<'toolCall'> = { ...shown, type: 'toolCall', tool: 'mcp__files__read', input: '{"path":"a"}' }
const message: ItemOf<'agentMessage'> = { ...shown, type: 'agentMessage' }
const counts = { inputTokens: 10, cachedInputTokens: 2, outputTokens: 5, reasoningTokens: 1 }
const failure = { code: 'auth', message: 'The key is wrong.' }
const ruled = { rule: { name: 'builtin:allow' }, reason: 'harmless' }

const start: ConversationEvent = { type: 'turn.started', turnId: 't1', trigger: 'message' }
const opens = (item: Item): ConversationEvent => ({ type: 'item.started', turnId: 't1', item })
const closes = (item: Item): ConversationEvent => ({ type: 'item.completed', turnId: 't1', item })
const begins = (more: Partial<Extract<ConversationEvent, { type: 'execution.started' }>> = {}): ConversationEvent => ({
  type: 'execution.started',
  itemId: 'i1',
  attempt: 1,
  decidedBy: ruled,
  payloadHash: 'h',
  ...more,
})
const end = (outcome: 'completed' | 'interrupted' | 'failed', more: object = {}): ConversationEvent => ({
  type: 'turn.ended',
  turnId: 't1',
  outcome,
  usage: counts,
  denials: [],
  ...more,
})
const notice = (level: 'info' | 'warning' | 'error', code: string, title: string): ConversationEvent =>
  closes({ ...shown, type: 'notice', status: 'completed', level, code, title })

function told(...events: readonly ConversationEvent[]): unknown[] {
  let memory = { ...emptyMemory, cwd: '/w' }
  return events.flatMap((event) => {
    const translated = translate(memory, { event })
    memory = translated.memory
    return translated.messages
  })
}

/** Returns the messages of the last event, after those before it. */
const last = (...events: readonly ConversationEvent[]) => told(...events).slice(told(...events.slice(0, -1)).length)

const table: readonly (readonly [string, readonly ConversationEvent[], readonly object[]])[] = [
  ['a turn that starts', [start], [{ type: 'task_started' }]],
  [
    'a plain turn',
    [start, opens(message), closes({ ...message, text: 'hi' }), end('completed')],
    [{ type: 'task_complete', last_agent_message: 'hi' }],
  ],
  ['a turn without words', [start, end('completed')], [{ type: 'task_complete', last_agent_message: null }]],
  ['an interrupted turn', [start, end('interrupted')], [{ type: 'turn_aborted', reason: 'interrupted' }]],
  [
    'a failed turn',
    [start, end('failed', { failure })],
    [
      { type: 'error', message: 'The key is wrong.' },
      { type: 'task_complete', last_agent_message: null },
    ],
  ],
  [
    'a failed turn whose notice has said why',
    [start, notice('error', 'auth', 'The key is wrong.'), end('failed', { failure })],
    [{ type: 'task_complete', last_agent_message: null }],
  ],
  [
    'a delta of a message',
    [opens(message), { type: 'item.delta', itemId: 'i1', text: 'h' }],
    [{ type: 'agent_message_delta', delta: 'h' }],
  ],
  [
    'a delta of reasoning',
    [opens({ ...shown, type: 'reasoning' }), { type: 'item.delta', itemId: 'i1', text: 'h' }],
    [{ type: 'agent_reasoning_delta', delta: 'h' }],
  ],
  [
    'raw reasoning as it streams',
    [opens({ ...shown, type: 'reasoning', raw: true }), { type: 'item.delta', itemId: 'i1', text: 'h' }],
    [{ type: 'agent_reasoning_raw_content_delta', delta: 'h' }],
  ],
  [
    'raw reasoning',
    [closes({ ...shown, type: 'reasoning', raw: true, text: 'hm' })],
    [{ type: 'agent_reasoning_raw_content', text: 'hm' }],
  ],
  ['reasoning', [closes({ ...shown, type: 'reasoning', text: 'hm' })], [{ type: 'agent_reasoning', text: 'hm' }]],
  ['a message', [closes({ ...message, text: 'hi' })], [{ type: 'agent_message', message: 'hi' }]],
  ['an empty message', [closes({ ...message, text: '' })], []],
  [
    "the user's message",
    [closes({ ...shown, type: 'userMessage', text: 'do it', content: [] })],
    [{ type: 'user_message', message: 'do it', kind: 'plain' }],
  ],
  [
    'a command that begins',
    [opens(command), begins()],
    [
      {
        type: 'exec_command_begin',
        call_id: 'i1',
        command: command.command,
        cwd: '/w',
        parsed_cmd: [{ type: 'unknown', cmd: 'ls' }],
      },
    ],
  ],
  [
    'output of a command',
    [opens(command), { type: 'item.delta', itemId: 'i1', text: 'é\n' }],
    [{ type: 'exec_command_output_delta', call_id: 'i1', stream: 'stdout', chunk: 'w6kK' }],
  ],
  [
    'much output of a command',
    [opens(command), { type: 'item.progress', itemId: 'i1', totalBytes: 99, tail: '' }],
    [{ type: 'background_event', message: 'ls: 99 bytes of output so far; its end comes when it has ended.' }],
  ],
  [
    'a command that ends',
    [
      opens(command),
      begins(),
      closes({ ...command, status: 'completed', exitCode: 3, durationMs: 1234.5, output, modelText: 'exit 3\na' }),
    ],
    [
      {
        type: 'exec_command_end',
        call_id: 'i1',
        stdout: 'a\n',
        stderr: '',
        aggregated_output: 'a\n',
        exit_code: 3,
        duration: { secs: 1, nanos: 234_500_000 },
        formatted_output: 'exit 3\na',
      },
    ],
  ],
  ['a command that was not run', [opens(command), closes({ ...command, status: 'denied' })], []],
  [
    'a patch that begins by a rule',
    [opens(patch), begins({ changes: [change] })],
    [
      {
        type: 'patch_apply_begin',
        call_id: 'i1',
        auto_approved: true,
        changes: { '/w/a.txt': { type: 'update', unified_diff: change.diff, move_path: '/w/b.txt' } },
      },
    ],
  ],
  [
    'a patch that is done',
    [
      opens(patch),
      begins({ decidedBy: { approvalId: 'a1' } }),
      closes({ ...patch, status: 'completed', changes: [change], modelText: 'Success.' }),
    ],
    [
      { type: 'patch_apply_end', call_id: 'i1', stdout: 'Success.', stderr: '', success: true },
      { type: 'turn_diff', unified_diff: change.diff },
    ],
  ],
  [
    'a patch that failed',
    [opens(patch), begins(), closes({ ...patch, status: 'failed', modelText: 'No such lines.' })],
    [{ type: 'patch_apply_end', call_id: 'i1', stdout: '', stderr: 'No such lines.', success: false }],
  ],
  ['a patch that was not applied', [opens(patch), closes({ ...patch, status: 'denied' })], []],
  [
    'a call of a tool',
    [opens(tool), begins()],
    [
      {
        type: 'mcp_tool_call_begin',
        call_id: 'i1',
        invocation: { server: 'files', tool: 'read', arguments: { path: 'a' } },
      },
    ],
  ],
  [
    'a tool that has answered',
    [opens(tool), begins(), closes({ ...tool, status: 'completed', modelText: 'text', durationMs: 2 })],
    [
      {
        type: 'mcp_tool_call_end',
        call_id: 'i1',
        invocation: { server: 'files', tool: 'read', arguments: { path: 'a' } },
        duration: { secs: 0, nanos: 2_000_000 },
        result: { Ok: { content: [{ type: 'text', text: 'text' }], isError: false } },
      },
    ],
  ],
  [
    'a tool of our own that failed',
    [
      opens({ ...tool, tool: 'search', input: 'no json' }),
      begins(),
      closes({ ...tool, tool: 'search', input: 'no json', status: 'failed', modelText: 'no' }),
    ],
    [
      {
        type: 'mcp_tool_call_end',
        call_id: 'i1',
        invocation: { server: 'parley', tool: 'search', arguments: 'no json' },
        duration: { secs: 0, nanos: 0 },
        result: { Err: 'no' },
      },
    ],
  ],
  [
    'a plan',
    [{ type: 'plan.updated', plan: { steps: [{ step: 'a', status: 'inProgress' }] } }],
    [{ type: 'plan_update', explanation: null, plan: [{ step: 'a', status: 'in_progress' }] }],
  ],
  [
    'a retry',
    [{ type: 'retry.scheduled', turnId: 't1', retryAt: 1, attempt: 2, failure }],
    [{ type: 'stream_error', message: failure.message }],
  ],
  [
    'a parked turn',
    [{ type: 'turn.parked', turnId: 't1', reason: 'It waits.' }],
    [{ type: 'background_event', message: 'It waits.' }],
  ],
  [
    'a warning with escapes',
    [notice('warning', 'length', 'Cut\x1b[2J.')],
    [{ type: 'background_event', message: 'Cut\\x1b[2J.' }],
  ],
  ['a warning', [notice('warning', 'length', 'Cut.')], [{ type: 'background_event', message: 'Cut.' }]],
  ['the note of an interrupt', [notice('info', 'interrupted', 'Interrupted')], []],
  ['a discarded item', [opens(message), { type: 'item.discarded', itemId: 'i1', reason: 'cut' }], []],
  [
    'a delta after its item was discarded',
    [
      opens(message),
      { type: 'item.discarded', itemId: 'i1', reason: 'cut' },
      { type: 'item.delta', itemId: 'i1', text: 'h' },
    ],
    [],
  ],
  ['a rename', [{ type: 'conversation.renamed', name: 'n' }], []],
]

describe('the messages of an event', () => {
  test.each(table)('%s', (_name, events, messages) => {
    expect(last(...events)).toEqual(messages)
  })
})

test('tokens are counted for the call and in total', () => {
  const used: ConversationEvent = { type: 'usage.updated', turnId: 't1', counts, contextWindow: 1000 }
  const usage = (n: number) => ({
    input_tokens: 10 * n,
    cached_input_tokens: 2 * n,
    output_tokens: 5 * n,
    reasoning_output_tokens: n,
    total_tokens: 15 * n,
  })
  expect(last(used, { ...used })).toEqual([
    {
      type: 'token_count',
      info: { total_token_usage: usage(2), last_token_usage: usage(1), model_context_window: 1000 },
    },
  ])
})

test('the window of an earlier model is forgotten, unless a summary was written meanwhile', () => {
  const used: ConversationEvent = { type: 'usage.updated', turnId: 't1', counts }
  const known: ConversationEvent = { ...used, contextWindow: 1000 }
  const windowOf = (newest: ConversationEvent) => last(known, newest)
  expect(windowOf(used)).toMatchObject([{ info: { model_context_window: null } }])
  expect(windowOf({ ...used, purpose: 'compaction' })).toMatchObject([{ info: { model_context_window: 1000 } }])
})

test('the diff of a turn holds all of its patches and none of an earlier turn', () => {
  const done = [opens(patch), begins(), closes({ ...patch, status: 'completed', changes: [change] })]
  const diffs = told(start, ...done, ...done, start, ...done).filter((one) => JSON.stringify(one).includes('turn_diff'))
  expect(diffs).toEqual(
    [change.diff, change.diff + change.diff, change.diff].map((text) => ({ type: 'turn_diff', unified_diff: text })),
  )
})

test('an event of an unknown type has no message', () => {
  const unknown: unknown = { type: 'turn.danced' }
  expect(translate(emptyMemory, { event: unknown as ConversationEvent }).messages).toEqual([])
})
