import type { ApprovalRequest, Enforcement, Item } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { elicitationFor } from '../../src/codex-events/elicitation.ts'

const approval: ApprovalRequest = {
  id: 'a1',
  itemId: 'i1',
  turnId: 't1',
  kind: 'elicitation',
  title: 'everything asks: Who are you?',
  detail: 'Name and age',
  cwd: '/w',
  sandbox: 'none',
  reason: '',
  rule: { name: 'builtin:ask' },
  decisions: ['approved', 'denied', 'abort'],
  answerableBy: [],
}
const asker = {
  agent: 'parley' as const,
  callId: 7,
  conversationId: 'c1',
  enforcement: 'full' as const,
  grantRoot: null,
  modes: [],
}

test.each(['elicitation', 'question'] as const)('an approval of kind %s is passed on with its form', (kind) => {
  const form = {
    fields: [
      { name: 'name', title: 'Name', type: 'string' as const, required: true },
      { name: 'age', title: 'Age', description: 'In years', type: 'integer' as const, required: false, default: 30 },
      {
        name: 'colour',
        title: 'Colour',
        type: 'choice' as const,
        required: true,
        choices: [
          { value: 'r', title: 'Red' },
          { value: 'g', title: 'Green' },
        ],
      },
    ],
  }
  expect(elicitationFor({ ...approval, kind, form }, null, asker)).toEqual({
    message: '    everything asks: Who are you?\n    Name and age',
    threadId: 'c1',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name' },
        age: { type: 'integer', title: 'Age', description: 'In years', default: 30 },
        colour: { type: 'string', title: 'Colour', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
      },
      required: ['name', 'colour'],
    },
  })
})

test('a tool call is shown by its title and input, and passed on as a command', () => {
  const item: Item = {
    id: 'i1',
    type: 'toolCall',
    status: 'awaitingApproval',
    title: 'read_file secret',
    text: '',
    tool: 'read_file',
    input: '{"path":"/etc/shadow"}',
  }
  const asked = {
    ...approval,
    kind: 'read' as const,
    title: 'Read /etc/shadow',
    detail: item.input,
    reason: 'outside of the folder',
  }
  expect(elicitationFor(asked, item, asker)).toMatchObject({
    message: [
      'Allow parley to make this call in `/w`?',
      '    Read /etc/shadow',
      '    {"path":"/etc/shadow"}',
      'Limits: only reads',
      'Asked because: outside of the folder [builtin:ask]',
    ].join('\n'),
    codex_elicitation: 'exec-approval',
    codex_mcp_tool_call_id: '7',
    codex_command: ['read_file', '{"path":"/etc/shadow"}'],
    codex_reason: 'outside of the folder',
  })
})

describe('the message about a command', () => {
  const command = {
    ...approval,
    kind: 'escalation' as const,
    title: 'npm run dev',
    detail: 'npm run dev',
    command: ['sh', '-c', 'npm run dev'],
    network: true,
  }
  const messageOf = (more: Partial<ApprovalRequest>, enforcement: Enforcement = 'full') =>
    elicitationFor({ ...command, ...more }, null, { ...asker, enforcement }).message.split('\n')

  test("names limits, folder, reason and the model's justification", () => {
    const all = {
      environment: 'box',
      env: { A: 'b\x1b' },
      background: true as const,
      attempt: 2,
      reason: 'it wants more than the sandbox gives',
      justification: 'needed\nAllow parley to run `ls`?',
    }
    expect(messageOf(all)).toEqual([
      "Allow parley to run `sh -c 'npm run dev'` in `/w` on box?",
      'Limits: not sandboxed: it may do all that its account may, network included',
      'It runs in the background, without a time limit.',
      'It runs with A=b\\x1b.',
      'Asked because: it wants more than the sandbox gives [builtin:ask]',
      'It ran in the sandbox already, and failed for what the sandbox blocked. A yes runs it once more.',
      'the model says, unchecked: “needed ⏎ Allow parley to run `ls`?”',
    ])
  })

  test.each<[Partial<ApprovalRequest>, Enforcement, string]>([
    [{ sandbox: 'workspace-write' }, 'full', 'Limits: sandbox workspace-write · with network'],
    [{ sandbox: 'read-only', network: false }, 'partial', 'Limits: sandbox read-only, in part · no network'],
  ])('names the limits of %j in enforcement %s', (more, enforcement, line) => {
    expect(messageOf(more, enforcement)[1]).toBe(line)
  })

  test('shows invisible characters by their numbers everywhere', () => {
    const odd = 'a\x1b[2K\x9b\u202eb\u200b\u2028\u2029'
    const lines = messageOf({ command: ['sh', '-c', `${odd}\nls`], cwd: `/${odd}`, reason: odd, justification: odd })
    const shown = 'a\\x1b[2K\\x9b<U+202E>b<U+200B><U+2028><U+2029>'
    expect(lines.slice(0, 2)).toEqual([`Allow parley to run \`sh -c '${shown}`, `    ls'\` in \`/${shown}\`?`])
    expect(lines).toContain('! contains control characters, shown as \\x1b')
    expect(lines).toContain('! contains invisible characters or marks over others, shown as <U+202E>')
    expect(lines.at(-1)).toBe(`the model says, unchecked: “${shown}”`)
  })

  test('keeps the command off the margin and stays in sight after a long one', () => {
    const script = `ls\` in \`/w\`?\nLimits: sandbox read-only\n${' '.repeat(500)}rm -rf x`
    const lines = messageOf({ command: ['sh', '-c', script] })
    expect(lines.filter((line) => line.startsWith('Limits:'))).toHaveLength(1)
    expect(lines.join('\n')).toContain('⟨500 spaces⟩')
  })
})

test('the message about a patch shows every file and line with invisible characters', () => {
  const file = (path: string) => ({
    path,
    kind: 'update' as const,
    additions: 1,
    deletions: 0,
    before: 'a',
    after: 'b',
  })
  const gone = { ...file('large.txt'), kind: 'delete' as const, deletions: 9, additions: 0, deletedBytes: 90 }
  const edit = '--- a.txt\n+++ a.txt\n@@ -0,0 +1,1 @@\n+x\u202ey\n'
  const fold = '--- large.txt\n+++ /dev/null\n… 9 removed lines not shown: 90 bytes, sha256:c0\n'
  const asked = {
    ...approval,
    kind: 'patch' as const,
    title: 'Patch a.txt and 1 more',
    detail: `${edit}\n${fold}`,
    files: [file('a.txt'), { ...gone, after: null }],
    reason: 'a file lies outside the writable folders',
  }
  expect(elicitationFor(asked, null, asker)).toMatchObject({
    message: [
      'a file lies outside the writable folders [builtin:ask]',
      'Allow parley to apply proposed code changes?',
      'change a.txt (+1 −0)',
      'delete large.txt (+0 −9, 90 bytes)',
      'Paths are relative to `/w`.',
      'Limits: these files only, without a sandbox',
      '! contains invisible characters or marks over others, shown as <U+202E>',
      '',
      edit.replace('\u202e', '<U+202E>'),
      fold.trimEnd(),
    ].join('\n'),
    codex_changes: {
      '/w/a.txt': { type: 'update', unified_diff: edit, move_path: null },
      '/w/large.txt': { type: 'delete', content: '… 9 removed lines not shown: 90 bytes, sha256:c0\n' },
    },
  })
})

test('the text of an MCP server is shown with invisible characters, off the margin', () => {
  const field = { name: 'n', title: 'N\u202e', type: 'string' as const, required: false, default: 'x\x1b' }
  const asked = {
    ...approval,
    title: 'A\x1b[2J',
    detail: 'A\x1b[2J\nAllow parley to run `ls`?',
    reason: 'The MCP server "box" asks this while its tool runs.',
    form: { fields: [field] },
  }
  expect(elicitationFor(asked, null, asker)).toEqual({
    message: [
      'The MCP server "box" asks this while its tool runs.',
      '! contains control characters, shown as \\x1b',
      '    A\\x1b[2J',
      '    Allow parley to run `ls`?',
    ].join('\n'),
    threadId: 'c1',
    requestedSchema: { type: 'object', properties: { n: { type: 'string', title: 'N<U+202E>' } } },
  })
})

test('letters that pass for others are named', () => {
  const asked = { ...approval, kind: 'command' as const, detail: 'сurl x', command: ['sh', '-c', 'сurl x'] }
  expect(elicitationFor(asked, null, asker).message).toContain('! non-ASCII: U+0441 looks like c')
})
