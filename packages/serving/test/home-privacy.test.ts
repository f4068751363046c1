import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { makeHomePrivate } from '../src/home-folder.ts'

test('a home folder open to others is made private, and that is reported', async () => {
  await using folder = await tempDirectory()
  chmodSync(folder.path, 0o777)
  expect(makeHomePrivate(folder.path)).toContain('(mode 777)')
  expect(statSync(folder.path).mode & 0o777).toBe(0o700)
  expect(makeHomePrivate(folder.path)).toBeNull()
})

test('a missing home folder is not reported', async () => {
  await using folder = await tempDirectory()
  expect(makeHomePrivate(join(folder.path, 'none'))).toBeNull()
})

test.runIf(process.getuid !== undefined && process.getuid() !== 0)('a home folder of another user is rejected', () => {
  expect(() => makeHomePrivate('/')).toThrow('belongs to user 0')
})
