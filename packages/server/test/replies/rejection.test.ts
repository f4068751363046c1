import { STORE_GONE, STORE_SLOW, StorageError } from '@parley/journal'
import { expect, it } from 'vitest'
import { asRejection } from '../../src/replies/rejection.ts'

const path = 'nats://a'

it.each([
  ['list', STORE_SLOW, 'The store nats://a does not answer, so what it has cannot be listed now.'],
  ['read', STORE_GONE, 'The store nats://a cannot be reached, so what it has cannot be read now.'],
  [
    'open a conversation of',
    STORE_SLOW,
    'The store nats://a does not answer, so no conversation of it can be opened now.',
  ],
])('a store that is away where it was only to %s is no failure to save (%s)', (operation, code, sentence) => {
  const rejected = asRejection(new StorageError({ code, operation, path }))
  expect(rejected).toMatchObject({
    message: `${sentence} Nothing is lost: try again once it answers.`,
    data: { code: 'storageFailed', errno: code },
  })
})

it('a store that is away where it was to be written is one', () => {
  const rejected = asRejection(new StorageError({ code: STORE_SLOW, operation: 'write to', path }))
  expect(rejected).toMatchObject({ message: expect.stringContaining('could not be saved') })
})
