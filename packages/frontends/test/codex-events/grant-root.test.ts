import type { ApprovalRequest } from '@parley/protocol'
import { expect, test } from 'vitest'
import { grantRootOf } from '../../src/codex-events/grant-root.ts'

const asked: ApprovalRequest = {
  id: 'a1',
  itemId: 'i1',
  turnId: 't1',
  kind: 'patch',
  title: 'Patch',
  detail: '',
  cwd: '/w/here',
  sandbox: 'none',
  reason: 'a file lies outside',
  rule: { name: 'builtin:patch-outside-roots' },
  decisions: ['approved', 'approvedForSession', 'denied', 'abort'],
  answerableBy: [],
}
const outside = (...paths: readonly string[]): ApprovalRequest => {
  const files = paths.map((real) => ({ path: real, real, insideRoots: false, protectedBy: null }))
  return { ...asked, facts: { files: [...files, { real: '/w/here/x', insideRoots: true, protectedBy: null }] } }
}

test.each([
  [['/w/there/a.txt'], '/w/there'],
  [['/w/there/a.txt', '/w/there/deep/b.txt'], '/w/there'],
  [['/w/there/a.txt', '/w/thereby/b.txt'], null],
  [['/w/a.txt'], null],
  [['/a.txt'], null],
  [[], null],
])('files at %j share the folder %j', (paths, folder) => {
  expect(grantRootOf(outside(...paths))).toBe(folder)
})

test.each<[string, Partial<ApprovalRequest>]>([
  ['another rule', { rule: { name: 'builtin:patch-protected' } }],
  ['no yes for the session', { decisions: ['approved', 'denied'] }],
  ['another machine', { environment: 'box' }],
  ['no facts', { facts: {} }],
])('a question with %s offers no folder', (_, more) => {
  expect(grantRootOf({ ...outside('/w/there/a.txt'), ...more })).toBeNull()
})
