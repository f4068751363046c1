import type { ListedConversation } from '@parley/protocol'
import { expect, test } from 'vitest'
import { conversationLines } from '../../src/commands/kept/list.ts'

const listed = (live: ListedConversation['live']): ListedConversation => ({
  conversationId: '01a20c33-291f-71a9-8d40-24251c411ddd',
  shortId: '1c411ddd',
  cwd: '/srv/app',
  title: 'fix it',
  name: null,
  createdAt: 0,
  updatedAt: 0,
  archived: false,
  forkedFrom: null,
  live,
})

test.each([
  ['process 42', { pid: 42, socket: null }, false],
  ['a:7100', { pid: 42, socket: null, address: 'wss://a:7100' }, false],
  ['a:7100', { pid: 42, socket: null, address: 'wss://a:7100' }, true],
])(
  'an open conversation is said to be at %s: a process number means nothing on another machine',
  (where, live, isFar) => {
    const [line = ''] = conversationLines([listed(live)], { withNames: false, isFar })
    expect(line).toMatch(new RegExp(`\\[open (?:in|at) ${where}\\]$`))
  },
)

test('an open conversation of a server elsewhere that says no address is open, and nothing more', () => {
  const [line = ''] = conversationLines([listed({ pid: 42, socket: null })], { withNames: false, isFar: true })
  expect(line).toMatch(/ \[open\]$/)
})
