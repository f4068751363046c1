import { expect, test } from 'vitest'
import { refuseUnclearConfig } from '../../src/command-line/usage-errors.ts'

test.each([
  ['model=x'],
  ['model="a b"'],
  [' model = x'],
  ['model_providers.x.base_url="http://127.0.0.1:1"'],
  ['mcp_servers."a b".command=x'],
  ['features.web_search=true'],
  ['instructions=be brief'],
  ['shell_environment_policy.inherit=all'],
])('-c %j sets a key of parley or Codex', (word) => {
  expect(() => refuseUnclearConfig(['exec', '-c', word])).not.toThrow()
  expect(() => refuseUnclearConfig(['exec', `-c${word}`])).not.toThrow()
})

test.each([
  ['fix it'],
  ['hello'],
  ['a1b2c3d4'],
  ['-'],
  [''],
  ['='],
  ['=x'],
  ['bogus=1'],
  ['modell=x'],
  ['fix model=x'],
  ['x=1 and y'],
  ['models'],
])('-c %j is refused with both spellings', (word) => {
  expect(() => refuseUnclearConfig(['exec', '-c', word])).toThrow(/-c KEY=VALUE; .* write --continue/)
})

test('a key that nobody knows is passed on by --config, and words behind -- are the prompt', () => {
  expect(() => refuseUnclearConfig(['exec', '--config', 'bogus=1', '--', '-c', 'x'])).not.toThrow()
})
