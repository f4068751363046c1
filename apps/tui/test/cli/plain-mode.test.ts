import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { mayBePlain } from '../../src/cli/plain-mode.ts'

test.each([
  [['--plain'], 'xterm', '', true],
  [['resume', '--last', '--plain'], 'xterm', '', true],
  [[], 'dumb', '', true],
  [[], 'xterm', '[tui]\nplain = true\n', true],
  [['-c', 'tui.plain=true'], 'xterm', '', true],
  [['make it plain'], 'xterm', '[tui]\ntheme = "dark"\n', false],
  [[], 'xterm', '', false],
])('%j on %s with %j may be plain: %s', async (argv, term, config, expected) => {
  await using home = await tempDirectory()
  writeFileSync(join(home.path, 'config.toml'), config)
  expect(mayBePlain(argv, { TERM: term, PARLEY_HOME: home.path })).toBe(expected)
})

test('a home without a configuration is not plain', async () => {
  await using home = await tempDirectory()
  expect(mayBePlain([], { TERM: 'xterm', PARLEY_HOME: join(home.path, 'none') })).toBe(false)
})
