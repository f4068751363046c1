import { expect, test } from 'vitest'
import { wantsCodexLines, withCallersKey } from '../../src/cli/early-arguments.ts'

test.each([
  [['exec', '--experimental-json'], true],
  [['exec', '--output-format', 'codex', 'go'], true],
  [['exec', '--output-format=codex'], true],
  [['-m', 'x', 'exec', '--experimental-json', 'resume', 'a'], true],
  [['exec', '--json', 'go'], false],
  [['exec', '--output-format', 'json', 'codex'], false],
  [['exec', '--', '--experimental-json'], false],
  [['--experimental-json'], false],
])('%j: for a caller of the Codex SDK is %s', (argv, wanted) => {
  expect(wantsCodexLines(argv)).toBe(wanted)
})

test.each([
  [['exec', '--experimental-json'], { CODEX_API_KEY: 'a', OPENAI_API_KEY: 'b' }, 'a'],
  [['exec', '--experimental-json'], { CODEX_API_KEY: '', OPENAI_API_KEY: 'b' }, 'b'],
  [['exec', 'go'], { CODEX_API_KEY: 'a', OPENAI_API_KEY: 'b' }, 'b'],
])('%j with %j has the key %s', (argv, env, key) => {
  expect(withCallersKey(argv, env)['OPENAI_API_KEY']).toBe(key)
})
