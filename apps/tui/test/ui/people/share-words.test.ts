import { linkNotice, readShare } from '@parley/presentation/commands/share-words'
import { expect, test } from 'vitest'
import { after } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { typeKeys } from '../type-keys.ts'

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
  expect(JSON.stringify(linkNotice(made, 0))).toContain('c.s (a token for --token-file)')
  expect(JSON.stringify(linkNotice({ ...made, expiresAt: 7 * 24 * 3_600_000, url: 'https://a/#link=c.s' }, 0))).toMatch(
    /"https:\/\/a\/#link=c\.s".*"7 days"/,
  )
})

test('/share lists, and asks for what it is told', () => {
  const state = after()
  expect(typeKeys(openUi, state, '/share bo reader', 'enter').intents).toEqual([
    { kind: 'share', asked: { kind: 'give', user: 'bo', role: 'reader' } },
  ])
  expect(JSON.stringify(typeKeys(openUi, state, '/share', 'enter').ui.notices)).toContain('No user of a server')
})
