// Examples of the page docs/scripting-events.md. The generator checks each against its schema.

const turnId = 't-3bf5'
const command = {
  id: 'i-2f2b',
  type: 'commandExecution',
  tool: 'shell',
  title: 'npm test',
  text: 'npm test',
  command: ['/bin/bash', '-c', 'npm test'],
  cwd: '/repo',
}
const by = { clientId: 'c-a1fd', name: 'parley-exec', title: 'parley-exec' }
const file = 'sha256:6861…8d49'
const usage = { inputTokens: 2500, cachedInputTokens: 1200, outputTokens: 38, reasoningTokens: 0 }
const settings = {
  model: 'gpt-5',
  modelProvider: 'openai',
  approvalPolicy: 'on-request',
  sandbox: 'workspace-write',
  enforcement: 'full',
  writableRoots: [],
}
const messageId = '4b0e7e6a-ebdf-4a12-b57f-1ee3be68f416'
const failure = { code: 'rateLimited', message: 'OpenAI takes no more requests for now (429).', status: 429 }

/** Events, one of each type. */
export const eventExamples = [
  { type: 'conversation.created', cwd: '/repo', settings, program: 'parley/0.1.0' },
  { type: 'conversation.configured', settings: { model: 'gpt-5-mini' }, by },
  { type: 'conversation.moved', cwd: '/elsewhere', by },
  { type: 'conversation.renamed', name: 'the flaky test', by },
  { type: 'conversation.archived', archived: true, by },
  {
    type: 'conversation.shared',
    access: {
      members: [
        { user: 'ada', role: 'owner' },
        { user: 'bo', role: 'approver' },
      ],
      links: [],
    },
    by: { ...by, user: 'ada' },
  },
  {
    type: 'conversation.recovered',
    by: { pid: 4711, program: 'parley/0.1.0' },
    lost: [],
    tornBytes: 0,
    parked: turnId,
    pending: ['a-bfb9'],
    text: 'Recovered after parley ended unexpectedly.',
  },
  { type: 'conversation.upgraded', from: 3, to: 4 },
  {
    type: 'context.set',
    instructions: file,
    tools: file,
    sessionContext: file,
    adapter: 'responses/1:openai',
    instructionFiles: ['/repo/AGENTS.md'],
  },
  {
    type: 'context.cleared',
    turnId,
    itemId: 'i-c0de',
    itemIds: ['i-2f2b'],
    tokensBefore: 164_000,
    tokensAfter: 98_000,
    trigger: 'auto',
  },
  {
    type: 'context.compacted',
    turnId,
    itemId: 'i-c0de',
    from: 1,
    to: 812,
    summary: '## Goal\nMake the tests pass.',
    carried: file,
    tokensBefore: 182_000,
    tokensAfter: 21_000,
    trigger: 'manual',
    by,
  },
  { type: 'context.restored', seq: 813, tokensAfter: 182_000, by },
  {
    type: 'message.queued',
    message: { messageId, when: 'queue', content: [{ type: 'text', text: 'Then update the changelog.' }], by },
  },
  { type: 'message.edited', messageId, content: [{ type: 'text', text: 'Then commit it.' }], by },
  { type: 'message.removed', messageId, by },
  { type: 'message.consumed', messageId },
  { type: 'turn.started', turnId, trigger: 'message' },
  { type: 'turn.parked', turnId, reason: 'parley was closed while an approval waited.' },
  { type: 'turn.continued', turnId, by },
  { type: 'turn.ended', turnId, outcome: 'completed', usage, denials: [] },
  { type: 'model.requested', turnId, attempt: 1 },
  { type: 'model.responded', turnId, elided: true },
  { type: 'item.started', turnId, item: { ...command, status: 'proposed' } },
  { type: 'item.delta', itemId: 'i-2f2b', text: '3 passing\n' },
  { type: 'item.progress', itemId: 'i-2f2b', totalBytes: 131072, tail: 'test 412 of 900\n' },
  {
    type: 'execution.started',
    itemId: 'i-2f2b',
    attempt: 1,
    decidedBy: { rule: { name: 'builtin:sandboxed' }, reason: 'it runs in the sandbox' },
    payloadHash: 'sha256:e20b…6d1f',
  },
  {
    type: 'execution.failed',
    itemId: 'i-2f2b',
    attempt: 1,
    item: { ...command, status: 'failed', exitCode: 1, attempt: 1 },
  },
  {
    type: 'hooks.started',
    on: 'PreToolUse',
    turnId,
    itemId: 'i-2f2b',
    hooks: [{ name: 'no rm', on: 'PreToolUse', source: 'user', required: true }],
  },
  {
    type: 'hook.running',
    hook: { name: 'no rm', on: 'PreToolUse', source: 'user' },
    turnId,
    itemId: 'i-2f2b',
    durationMs: 1000,
  },
  {
    type: 'hook.ran',
    hook: { name: 'no rm', on: 'PreToolUse', source: 'user' },
    turnId,
    itemId: 'i-2f2b',
    outcome: 'stopped',
    reason: 'rm is not for you here',
    said: 'rm is not for you here',
    exitCode: 2,
    durationMs: 12,
  },
  {
    type: 'files.changed',
    itemId: 'i-2f2b',
    count: 1,
    files: [
      {
        path: '/home/ada/src/report.txt',
        before: { hash: '9f86…0a08', mode: 0o644 },
        after: { hash: '60303…e9aa', mode: 0o644 },
      },
    ],
  },
  {
    type: 'item.completed',
    turnId,
    item: {
      ...command,
      status: 'completed',
      exitCode: 0,
      output: { head: '3 passing\n', tail: '', totalBytes: 10, omittedBytes: 0 },
      modelText: 'exit 0 after 0.1 s\n3 passing\n',
      attempt: 1,
      durationMs: 134,
    },
  },
  { type: 'item.discarded', itemId: 'i-b566', reason: 'The connection was lost; the answer starts again.' },
  {
    type: 'approval.requested',
    approval: {
      id: 'a-bfb9',
      itemId: 'i-2f2b',
      turnId,
      kind: 'command',
      title: 'npm test',
      detail: 'npm test',
      command: command.command,
      cwd: '/repo',
      sandbox: 'workspace-write',
      reason: 'the approval policy is untrusted and this is not known to be harmless',
      rule: { name: 'builtin:untrusted' },
      decisions: ['approved', 'approvedForSession', 'denied', 'abort'],
      answerableBy: ['c-a1fd'],
    },
  },
  { type: 'approval.decided', approvalId: 'a-bfb9', decision: 'approved', by },
  {
    type: 'plan.updated',
    plan: {
      steps: [
        { step: 'Run the tests', status: 'completed' },
        { step: 'Fix what fails', status: 'inProgress' },
      ],
    },
  },
  { type: 'forwards.changed', forwards: [{ port: 8000, url: 'http://p8000-9f3c2a7e.localhost:8000/' }], by },
  { type: 'waits.changed', waits: [{ itemId: 'i-7d41', pattern: 'ready', fromByte: 812 }], by },
  { type: 'usage.updated', turnId, counts: usage, contextWindow: 400000 },
  { type: 'retry.scheduled', turnId, retryAt: 1795235803000, attempt: 2, failure },
  { type: 'model.fellBack', turnId, modelProvider: 'openai', model: 'gpt-5-mini', failure },
]

/** Lines of stdout besides events. */
export const outputExamples = [
  { type: 'input.rejected', line: 3, failure: { code: 'invalidInput', message: 'It is not JSON.' } },
  {
    type: 'run.ended',
    exitCode: 0,
    conversationId: '01a1…32d0',
    turnId,
    outcome: 'completed',
    answer: 'All three tests pass.',
    failure: null,
    denials: [],
    usage,
  },
  {
    type: 'run.ended',
    exitCode: 8,
    conversationId: '01a1…32d0',
    turnId,
    outcome: 'failed',
    answer: null,
    failure,
    denials: [],
    usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
  },
]

/** Lines of stdin with `--input-format jsonl`. */
export const inputExamples = [
  { type: 'message', text: 'Run the tests.' },
  { type: 'message', text: 'Leave test/slow alone.', when: 'steer' },
  { type: 'message', text: 'What is wrong here?', images: ['screen.png'] },
  { type: 'answer', approvalId: 'a-bfb9', decision: 'approved' },
  { type: 'answer', approvalId: 'a-c001', decision: 'denied', note: 'Use npm, not yarn.' },
  { type: 'answer', approvalId: 'a-d17e', decision: 'approved', answers: { region: 'eu', replicas: 2 } },
  { type: 'interrupt' },
]
