import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './places.mjs'

const shipped = globSync('apps/tui/dist/**/*.{mjs,cjs}', { cwd: root })
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

test('the programs that are shipped hold no failpoint and read no variable of a test', () => {
  expect(shipped.length).toBeGreaterThan(10)
  expect(textOf('packages/server/test/fixtures/failpoint-server.ts')).toContain('PARLEY_TEST_KILL')
  expect(shipped.filter((path) => /PARLEY_TEST_|failpoint/i.test(textOf(path)))).toEqual([])
})
