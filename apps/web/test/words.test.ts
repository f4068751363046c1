import type { ItemOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { answererWords, senderWords } from '../src/words/words.ts'

const call = (by: object, answer?: string) =>
  ({ decision: { verdict: 'ask', by, ...(answer === undefined ? {} : { answer }) } }) as unknown as ItemOf<'toolCall'>

test('who answered and who sent is said of other clients than pages', () => {
  const terminal = { clientId: 'c', name: 'parley', title: 'ada (pts/0)' }
  const page = { clientId: 'd', name: 'parley-web', title: 'browser' }
  expect(answererWords(call(terminal, 'approvedForSession'))).toBe(
    'answered by ada (pts/0): approved for this conversation',
  )
  expect(answererWords(call(terminal))).toBeNull()
  expect(answererWords(call(page, 'denied'))).toBeNull()
  expect(senderWords(terminal)).toBe('from ada (pts/0)')
  expect(senderWords(page)).toBeNull()
})
