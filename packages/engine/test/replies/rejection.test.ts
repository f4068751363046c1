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

it('a file other than the log that fails says so, and is no failure to save', () => {
  const cause = { errno: -5, code: 'EIO', syscall: 'lstat', path: '/home/a/credentials.json' }
  expect(asRejection(Object.assign(new Error('EIO: i/o error'), cause))).toMatchObject({
    message:
      '/home/a/credentials.json could not be used: i/o error (EIO, lstat). The conversation is not affected. Mend that and try again.',
    data: { code: 'fileFailed', errno: 'EIO', path: '/home/a/credentials.json' },
  })
})
