import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { findServer, parleyHome } from '../../src/server/find-server.ts'

test('the server is the first program named parley on the PATH', async () => {
  await using folder = await tempDirectory()
  const [first, second, third] = ['a', 'b', 'c'].map((name) => join(folder.path, name)) as [string, string, string]
  await mkdir(join(first, 'parley'), { recursive: true })
  for (const path of [second, third]) {
    await mkdir(path)
    await writeFile(join(path, 'parley'), '')
  }
  await chmod(join(third, 'parley'), 0o755)
  // A folder of that name is no program, nor is a file that may not be run.
  expect(findServer({ PATH: [first, second, third].join(delimiter) })).toEqual([join(third, 'parley'), 'server'])
})

test('PARLEY_BIN goes before the PATH', () => {
  expect(findServer({ PARLEY_BIN: '/opt/parley', PATH: '/bin' })).toEqual(['/opt/parley', 'server'])
})

test.each([
  [{ PARLEY_HOME: '/p', HOME: '/h' }, '/p'],
  [{ PARLEY_HOME: '', HOME: '/h' }, '/h/.parley'],
])('the home of %j is %s', (env, home) => {
  expect(parleyHome(env)).toBe(home)
})
