import { expect, test } from 'vitest'
import { sayUsageError } from '../../src/cli/messages.ts'

test('a wrong command line is told in one line that names the help', () => {
  const said = sayUsageError("error: unknown option '--jsn'\n(Did you mean --json?)\n")
  expect(said).toBe("parley: unknown option '--jsn'. (Did you mean --json?) See parley --help.\n")
})

test('a prompt without quotes is recognised', () => {
  expect(sayUsageError("error: too many arguments for 'exec'. Expected 1 argument but got 2: a, b.\n")).toContain(
    'A prompt of several words needs quotes.',
  )
})
