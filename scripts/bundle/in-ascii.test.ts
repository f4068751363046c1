import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { inAscii } from './in-ascii.mjs'

test.each([
  ['/[аеο]/.test("\\u0430")', true],
  ['/[аеο]/iu.test("a")', false],
  ['/^✗ /.test("\\u2717 exit 1")', true],
  ['/[😀]/u.test("\\ud83d\\ude00")', true],
  ['/[😀]/u.test("\\ud83d")', false],
])('%s means the same when it is read as ASCII', (code, expected) => {
  const file = inAscii({ path: 'x.cjs', text: code, hash: '', contents: Buffer.from(code) })
  const read = Buffer.from(file.contents).toString('latin1')
  expect(read).toMatch(/^[\0-\x7f]+$/)
  expect(runInNewContext(read)).toBe(expected)
})
