import { expect, test } from 'vitest'
import { sayUsageError } from '../../src/command-line/usage-errors.ts'

test('a wrong command line is told in one line that names the help', () => {
  const said = sayUsageError("error: unknown option '--jsn'\n(Did you mean --json?)\n", 'parley exec')
  expect(said).toBe("parley: unknown option '--jsn'. (Did you mean --json?) See parley exec --help.\n")
})

test('a prompt without quotes is recognised', () => {
  expect(
    sayUsageError("error: too many arguments for 'exec'. Expected 1 argument but got 2: a, b.\n", 'parley exec'),
  ).toContain('A prompt of several words needs quotes.')
})

test.each([
  ["too many arguments for 'exec'. Expected 1 argument but got 2: a, b.", true],
  ["too many arguments for 'resume'. Expected 2 arguments but got 3: 0a, b, c.", true],
  ["too many arguments for 'resume'. Expected 1 argument but got 2: 0a, b.", false],
  ["too many arguments for 'list'. Expected 0 arguments but got 1: foo.", false],
])('%s speaks of a prompt only if the command takes one', (said, isPrompt) => {
  expect(sayUsageError(`error: ${said}\n`, 'parley exec').includes('A prompt of several words needs quotes.')).toBe(
    isPrompt,
  )
})

test('a key that was given to login as an argument is not repeated', () => {
  const said = sayUsageError(
    "error: too many arguments for 'login'. Expected 1 argument but got 2: openai, sk-a\nb.\n",
    'parley login',
  )
  expect(said).toBe(
    "parley: too many arguments for 'login'. Expected 1 argument but got 2. A key is typed unseen or read from stdin, never an argument. See parley login --help.\n",
  )
})
