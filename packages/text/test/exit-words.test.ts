import { expect, it } from 'vitest'
import { exitWords } from '../src/words.ts'

it.each([
  [0, 'exit 0'],
  [1, 'exit 1'],
  [127, 'exit 127'],
  [128, 'exit 128'],
  [130, 'exit 130 (SIGINT)'],
  [137, 'exit 137 (SIGKILL)'],
  [139, 'exit 139 (SIGSEGV)'],
  [255, 'exit 255'],
  [null, 'exit null'],
])('the exit code %j is said as "%s"', (exitCode, words) => {
  expect(exitWords(exitCode)).toBe(words)
})
