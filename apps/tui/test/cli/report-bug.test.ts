import { readFileSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { secretCorpus, tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { readKey } from '../../src/cli/read-key.ts'
import { reportBug } from '../../src/cli/report-bug.ts'

test('a report of a bug says what went wrong, without any secret in it', async () => {
  await using home = await tempDirectory()
  const corpus = secretCorpus('bug')
  const env = { OPENAI_API_KEY: 'Own-value-77' }
  const error = new Error(`it broke at Own-value-77:\n${corpus.map(({ text }) => text).join('\n')}`)
  const path = await reportBug(
    { home: home.path, env },
    { version: '1', build: 'b', moduleUrl: 'file:///x', serverEnv: {} },
    error,
  )
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('it broke at [secret:OPENAI_API_KEY:00000000]')
  expect(corpus.filter(({ secret }) => text.includes(secret))).toEqual([])
  expect(text).not.toContain('Own-value-77')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a report leaves out the key that was read for a login', async () => {
  await using home = await tempDirectory()
  const stdin = Object.assign(Readable.from(['typed-key-8Zk3\n']), { isTTY: false }) as never
  const key = await readKey('', { stdin, stderr: process.stderr })
  const program = { version: '1', build: 'b', moduleUrl: 'file:///x', serverEnv: {} }
  const path = await reportBug({ home: home.path, env: {} }, program, new Error(`it broke at ${key}`))
  expect(readFileSync(path, 'utf8')).toContain('it broke at [secret:login:00000000]')
})
