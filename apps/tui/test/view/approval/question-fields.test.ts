import { lineText } from '@parley/presentation/text/span'
import type { Approval, ApprovalRequest } from '@parley/protocol'
import { describeQuestion, questionText } from '@parley/protocol/question'
import { approval as approvalSchema } from '@parley/protocol/schema'
import { describe, expect, test } from 'vitest'
import { wholeApproval } from '../../../src/view/approval/whole-approval.ts'

type Field = keyof Approval

const command: Approval = {
  id: 'a1',
  itemId: 'i1',
  turnId: 't1',
  kind: 'command',
  title: 'npm test',
  detail: 'npm test',
  command: ['npm', 'test'],
  cwd: '/w',
  sandbox: 'workspace-write',
  network: false,
  reason: 'it asks',
  rule: { name: 'builtin:ask' },
  decisions: ['approved', 'denied', 'abort'],
  answerableBy: [],
  state: 'pending',
}

const file = { path: 'a.txt', kind: 'update', additions: 1, deletions: 0, before: 'a', after: 'b' } as const
const patch: Approval = {
  ...command,
  kind: 'patch',
  title: 'Patch a.txt',
  detail: '--- a.txt\n+++ a.txt\n@@ -0,0 +1,1 @@\n+x\n',
  files: [file],
}
const { command: _argv, ...call } = { ...command, kind: 'mcpTool' as const, title: 'box: send', detail: '{"a":1}' }
const form: Approval = { ...call, kind: 'elicitation', title: 'Who?', detail: 'Who?', form: { fields: [] } }

/** Fields that name the question or its answers and say nothing about what a yes allows. */
const unshown: ReadonlySet<Field> = new Set([
  'id',
  'itemId',
  'turnId',
  'contentHash',
  // `reason` begins with it.
  'askedAgain',
  'facts',
  'answerableBy',
  'answers',
  'decisions',
  'forSession',
  'scope',
  'reaches',
  'always',
  'seal',
  'state',
  'decision',
  'note',
  'by',
])

/** Change of each other field, for the questions that can have it. */
const changes: Partial<Record<Field, readonly [Approval, Partial<ApprovalRequest>][]>> = {
  kind: [[command, { kind: 'escalation', sandbox: 'none' }]],
  title: [
    [call, { title: 'box: delete' }],
    [{ ...form, detail: 'x' }, { title: 'Which?' }],
  ],
  detail: [
    [call, { detail: '{"a":2}' }],
    [patch, { detail: patch.detail.replace('+x', '+y') }],
    [form, { detail: 'Who?\nAnd why?' }],
  ],
  files: [
    [patch, { files: [{ ...file, path: 'b.txt' }] }],
    [patch, { files: [{ ...file, real: '/elsewhere' }] }],
    [patch, { files: [{ ...file, movedTo: 'c', realMovedTo: '/d' }] }],
    [patch, { files: [{ ...file, kind: 'delete', deletedBytes: 7 }] }],
    [patch, { files: [{ ...file, additions: 2, deletions: 3 }] }],
    [patch, { files: [{ ...file, notes: ['runs later: CI runs it'] }] }],
  ],
  command: [[command, { detail: 'npm run x', title: 'npm run x', command: ['npm', 'run', 'x'] }]],
  cwd: [command, patch, call].map((one) => [one, { cwd: '/other' }]),
  environment: [command, patch, call].map((one) => [one, { environment: 'box' }]),
  env: [[command, { env: { NODE_OPTIONS: '--require x' } }]],
  sandbox: [command, patch, call].map((one) => [one, { sandbox: 'none' }]),
  network: [command, call].map((one) => [one, { network: true }]),
  background: [[command, { background: true, title: 'npm test (in the background, without a time limit)' }]],
  attempt: [[command, { attempt: 2 }]],
  justification: [[command, { justification: 'because' }]],
  reason: [command, patch, call, form].map((one) => [one, { reason: 'it is ./build, which leads to /usr/bin/git' }]),
  rule: [command, patch, call].map((one) => [one, { rule: { name: 'rule', file: '/h/policy.toml', line: 3 } }]),
  form: [],
}

const onTerminal = (approval: Approval) =>
  wholeApproval({ approval, enforcement: 'full' }, { columns: 100 }).map(lineText).join('\n')
const elsewhere = (approval: Approval) =>
  questionText(describeQuestion(approval, 'full'), approval.kind, { typed: (approval.command ?? []).join(' ') })

test('every field of a question is known to this test', () => {
  const fields: readonly string[] = Object.keys(approvalSchema.shape)
  const known: readonly string[] = [...unshown, ...Object.keys(changes)]
  expect(known.toSorted()).toEqual(fields.toSorted())
})

describe('a field that the terminal shows is in the description for other frontends', () => {
  const cases = Object.entries(changes).flatMap(([field, pairs]) => pairs.map((pair) => [field, ...pair] as const))
  test.each(cases)('%s of %o', (_field, approval, change) => {
    const changed = { ...approval, ...change }
    expect(onTerminal(changed)).not.toBe(onTerminal(approval))
    expect(elsewhere(changed)).not.toBe(elsewhere(approval))
  })

  test('hidden characters of every text are visible in both', () => {
    const odd = 'a\x1b[2J\u202eb\x9b'
    const texts = { title: odd, cwd: `/${odd}`, environment: odd, env: { [odd]: odd }, justification: odd, reason: odd }
    const files = [{ ...file, path: odd, real: odd, movedTo: odd, realMovedTo: odd }]
    const rule = { name: odd, file: odd }
    for (const one of [command, patch, call, form]) {
      const hostile = { ...one, ...texts, rule, detail: odd, ...(one.kind === 'patch' ? { files } : {}) }
      for (const shown of [onTerminal(hostile), elsewhere({ ...hostile, command: [odd] })])
        expect(shown).toMatch(/^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]*$/)
      expect(elsewhere(hostile)).toContain('a\\x1b[2J<U+202E>b\\x9b')
    }
  })
})
