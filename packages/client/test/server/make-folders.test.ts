import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempHome } from '@parley/testkit'
import { expect, test } from 'vitest'
import { makeFolders } from '../../src/server/stderr-log.ts'

test('what is missing of a path is made for its user alone, and made once', async () => {
  await using home = await tempHome()
  const path = join(home.path, 'a', 'b')
  makeFolders(path)
  makeFolders(path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
})

test('a folder below a file is a fault', async () => {
  await using home = await tempHome()
  const file = join(home.path, 'file')
  writeFileSync(file, '')
  expect(() => makeFolders(join(file, 'a', 'b'))).toThrow()
})

test.skipIf(!existsSync('/proc/self'))('a path where nothing can be made is a fault at once', () => {
  expect(() => makeFolders('/proc/parley-nowhere/logs')).toThrow('ENOENT')
})
