import { readDiffs } from '@parley/protocol/calls'
import { fileWords } from '@parley/protocol/question'
import { codePoint } from '@parley/testkit/code-point'
import { base64Of, utf8Bytes } from '@parley/text'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { offeredDecision, readAnswer } from '../../src/codex-events/approvals.ts'
import { fileChangesOf, parsedCommand } from '../../src/codex-events/call-messages.ts'

test('base64 decodes to the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (text) => {
      expect(base64Of(utf8Bytes(text))).toBe(Buffer.from(text).toString('base64'))
    }),
  )
})

test.each([
  [['/bin/bash', '-c', 'ls | wc'], 'ls | wc'],
  [['bash', '-lc', 'ls'], 'ls'],
  [['ls', '-c', 'x'], 'ls -c x'],
])('%j is shown as %s', (argv, cmd) => {
  expect(parsedCommand(argv)).toEqual([{ type: 'unknown', cmd }])
})

const added = '--- /dev/null\n+++ new.txt\n@@ -0,0 +1,2 @@\n+one\n+--- two\n'
const removed = '--- old.sql\n+++ /dev/null\n@@ -1,2 +0,0 @@\n--- a comment\n-+++ odd\n\\ No newline at end of file\n'
const moved = '--- a.txt\n+++ b.txt\n@@ -1,3 +1,3 @@\n x\n-y\n+z\n w\n'

test('joined diffs are split at their files, whatever their lines look like', () => {
  const changes = readDiffs([added, removed, moved].join('\n'))
  expect(fileChangesOf(changes, '/w')).toEqual({
    '/w/new.txt': { type: 'add', content: 'one\n--- two\n' },
    '/w/old.sql': { type: 'delete', content: '-- a comment\n+++ odd' },
    '/w/a.txt': { type: 'update', unified_diff: moved, move_path: '/w/b.txt' },
  })
  expect(changes.map(fileWords)).toEqual([
    'add new.txt (+2 −0)',
    'delete old.sql (+0 −2)',
    'move a.txt → b.txt (+1 −1)',
  ])
})

test('an empty new file, a binary file and a cut diff are read as far as they go', () => {
  const cut = '--- a.txt\n+++ a.txt\n@@ -1,90 +1,90 @@\n-x\n… 178 more lines\n'
  const empty = '--- /dev/null\n+++ empty\n'
  const binary = '--- /dev/null\n+++ logo.png\nBinary files differ\n'
  expect(fileChangesOf(readDiffs([cut, empty, binary].join('\n')), '/w')).toEqual({
    '/w/a.txt': { type: 'update', unified_diff: cut, move_path: null },
    '/w/empty': { type: 'add', content: '' },
    '/w/logo.png': { type: 'add', content: 'Binary files differ\n' },
  })
})

test.each([
  [{ decision: 'approved' }, { decision: 'approved' }],
  [{ decision: 'approved_for_session' }, { decision: 'approvedForSession' }],
  [{ decision: 'abort', action: 'accept' }, { decision: 'abort' }],
  [
    { action: 'accept', content: { name: 'x', n: 1, list: ['a'], none: null } },
    { decision: 'approved', answers: { name: 'x', n: 1, list: ['a'] } },
  ],
  [{ action: 'accept', content: { decision: 'denied' } }, { decision: 'denied' }],
  [{ action: 'shrug' }, { decision: 'denied' }],
  ['approved', { decision: 'denied' }],
  [undefined, { decision: 'denied' }],
])('the answer %j is read as %j', (answer, read) => {
  expect(readAnswer(answer)).toEqual(read)
})

test('only an explicit approval approves', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (answer) => {
      const { decision } = readAnswer(answer)
      const text = JSON.stringify(answer) ?? ''
      expect(decision === 'denied' || decision === 'abort' || /approved|accept/.test(text)).toBe(true)
    }),
  )
})

test('a decision that is not offered becomes the next stricter one', () => {
  expect(offeredDecision('approvedForSession', ['approved', 'denied', 'abort'])).toBe('approved')
  expect(offeredDecision('approved', ['denied', 'abort'])).toBe('denied')
})

test.each([
  ['a.txt', '/w/a.txt'],
  ['./b/../a.txt', '/w/a.txt'],
  ['../a.txt', '/a.txt'],
  ['../../../a.txt', '/a.txt'],
  ['/etc/hosts', '/etc/hosts'],
])('the path %s of a patch is told as %s', (path, told) => {
  const [change] = readDiffs(added)
  expect(Object.keys(fileChangesOf(change === undefined ? [] : [{ ...change, path }], '/w'))).toEqual([told])
})
