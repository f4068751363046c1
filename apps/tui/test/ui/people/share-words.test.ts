import { expect, test } from 'vitest'
import { linkNotice, readShare } from '../../../src/ui/people/share-words.ts'

test.each([
  ['bo approver', { kind: 'give', user: 'bo', role: 'approver' }],
  ['bo none', { kind: 'give', user: 'bo', role: null }],
  ['link', { kind: 'link', days: null }],
  ['link 2', { kind: 'link', days: 2 }],
  ['revoke 0a1b', { kind: 'revoke', linkId: '0a1b' }],
])('reads %s', (words, asked) => {
  expect(readShare(words)).toEqual(asked)
})

test.each(['bo', 'bo admin', 'bo constructor', 'link soon', 'link 0', 'revoke', 'bo reader now', ''])(
  'takes %j for nothing of its own',
  (words) => {
    expect(readShare(words)).toBeNull()
  },
)

test('a link is named by its address, or by its code where no page shows it', () => {
  const made = { seq: 1, linkId: 'l1', code: 'c.s', expiresAt: 0 }
  expect(JSON.stringify(linkNotice(made))).toContain('c.s (a token for --token-file)')
  expect(JSON.stringify(linkNotice({ ...made, url: 'https://a/#link=c.s' }))).toContain('"https://a/#link=c.s"')
})
