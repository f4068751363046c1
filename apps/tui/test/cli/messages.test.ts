import { expect, test } from 'vitest'
import { explainRejection } from '../../src/cli/messages.ts'

test('a folder that is not there is refused with the flag that names another', () => {
  const message = 'The folder /nowhere does not exist.'
  expect(explainRejection({ message, data: { code: 'cwdMissing' } })).toBe(`${message} Choose another with --cd.`)
  expect(explainRejection({ message, data: { code: 'configInvalid' } })).toBe(message)
})

test('a refusal that quotes others has no effect on the terminal', () => {
  const message = 'Environment x: it said \x1b]52;c;cm0=\x07\x1b[2J\u202ehello.'
  expect(explainRejection({ message, data: { code: 'environmentUnreachable' } })).toBe(
    'Environment x: it said \\x1b]52;c;cm0=\\x07\\x1b[2J<U+202E>hello.',
  )
})
