import type { ApprovalRequest, Item } from '@parley/protocol'
import { expect, test } from 'vitest'
import { elicitationFor } from '../../../src/core/vocabulary/elicitation.ts'

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
const asker = { requestId: 7, conversationId: 'c1' }

test('what a configured server asks of the user is passed on with its form', () => {
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
  expect(elicitationFor({ ...approval, form }, null, asker)).toEqual({
    message: 'everything asks: Who are you?\nName and age',
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

test('a call of a tool is asked for like a command, in its own words', () => {
  const item: Item = {
    id: 'i1',
    type: 'toolCall',
    status: 'awaitingApproval',
    title: 'read_file secret',
    text: '',
    tool: 'read_file',
    input: '{"path":"/etc/shadow"}',
  }
  const asked = { ...approval, kind: 'read' as const, title: 'Read /etc/shadow', reason: 'outside of the folder' }
  expect(elicitationFor(asked, item, asker)).toMatchObject({
    message: `Allow parley to run \`read_file '{"path":"/etc/shadow"}'\` in \`/w\`?`,
    codex_elicitation: 'exec-approval',
    codex_mcp_tool_call_id: '7',
    codex_command: ['read_file', '{"path":"/etc/shadow"}'],
    codex_reason: 'outside of the folder',
  })
})
