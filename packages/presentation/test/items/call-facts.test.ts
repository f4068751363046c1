import type { ItemOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { callFacts, rightsWords } from '../../src/items/call-facts.ts'

const stopped: ItemOf<'commandExecution'> = {
  id: 'c1',
  type: 'commandExecution',
  status: 'interrupted',
  title: 'rm x',
  text: 'rm x',
  tool: 'shell',
  command: ['/bin/sh', '-c', 'rm x'],
  cwd: '/home/ada/shop',
}

test.each([
  ['midway', { ...stopped, durationMs: 1_234 }, 'interrupted · 1.2 s'],
  ['before it began', stopped, ''],
])('a call stopped %s says so', (_when, item, expected) => {
  const words = callFacts(item).map(({ text }) => text)
  expect(words.join('')).toBe(expected)
})

test('a command that its time limit ended says so, and not the signal', () => {
  const failure = { code: 'timedOut', message: 'stopped' }
  const words = callFacts({ ...stopped, status: 'failed', signal: 'SIGTERM', exitCode: null, failure })
  expect(words.map(({ text }) => text)).toEqual(['✗ time limit'])
})

describe('the rights that a command ran with', () => {
  const done: ItemOf<'commandExecution'> = { ...stopped, status: 'completed', exitCode: 0, durationMs: 5 }
  const outside = { sandbox: 'none', network: true } as const
  const rule = { name: 'builtin:session' }
  const byGrant = { verdict: 'allow', rule, reason: 'you allowed it for this conversation', limits: outside } as const
  const byUser = { ...byGrant, verdict: 'ask', approvalId: 'a1' } as const
  const online = { ...byGrant, limits: { sandbox: 'workspace-write', network: true } } as const
  const inside = { ...byGrant, limits: { sandbox: 'workspace-write', network: false } } as const

  test.each<[string, ItemOf<'commandExecution'>, string]>([
    ['by an answer for the conversation', { ...done, decision: byGrant }, 'outside the sandbox'],
    ['by an answer to itself', { ...done, decision: byUser }, 'outside the sandbox'],
    ['with network', { ...done, decision: online }, 'with network'],
    ['inside the sandbox', { ...done, decision: inside }, ''],
    ['while it runs', { ...stopped, status: 'inProgress', decision: byGrant }, 'outside the sandbox'],
    [
      'and never started',
      { ...done, status: 'failed', exitCode: null, failure: { code: 'spawnFailed', message: 'x' }, decision: byGrant },
      '✗ failed · 5 ms',
    ],
    ['and was denied', { ...stopped, status: 'denied', decision: byGrant }, ''],
    ['and was stopped before it began', { ...stopped, decision: byGrant }, ''],
  ])('are said where it was let out %s', (_how, item, expected) => {
    const words = callFacts(item).map(({ text }) => text)
    expect(words.join('')).toBe(expected)
  })
})

describe('the rights that a patch or a read had', () => {
  const patched = (file: object, rule = 'builtin:patch-inside-roots'): ItemOf<'fileChange'> => ({
    id: 'p1',
    type: 'fileChange',
    status: 'completed',
    title: 'Patch a.txt',
    text: '',
    tool: 'apply_patch',
    changes: [],
    patchHash: 'sha256:1',
    facts: {
      kind: 'patch',
      files: [
        { insideRoots: true, protectedBy: null },
        { insideRoots: true, ...file },
      ],
    },
    decision: { verdict: 'ask', rule: { name: rule }, reason: 'x' },
  })
  const read = (secret: boolean): ItemOf<'toolCall'> => ({
    id: 'l1',
    type: 'toolCall',
    status: 'completed',
    title: 'Read .env',
    text: '',
    tool: 'read_file',
    input: '{}',
    facts: { kind: 'read', paths: [{ secret }] },
  })

  test.each<[string, ItemOf<'fileChange' | 'toolCall'>, string | null]>([
    ['outside', patched({ insideRoots: false }), 'outside the writable folders'],
    ['of a protected file', patched({ protectedBy: 'git runs it' }), 'a protected file'],
    ['in read-only mode', patched({}, 'builtin:patch-read-only'), 'in read-only mode'],
    ['inside', patched({}), null],
    ['that was denied', { ...patched({ insideRoots: false }), status: 'denied' }, null],
    ['of a secret', read(true), 'where secrets are kept'],
    ['of another file', read(false), null],
  ])('are said for one %s', (_what, item, expected) => {
    expect(rightsWords(item)).toBe(expected)
  })
})
