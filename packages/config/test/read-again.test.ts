import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settledStamp } from '@parley/host'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readEffectiveConfig } from '../src/effective-config.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-test-'))
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(home, { recursive: true, force: true })
})

const path = () => join(home, 'config.toml')
const model = (overrides: object = {}) => readEffectiveConfig({ home, ...overrides }).values.model
/** Lets so much time pass that a change of the file has settled. */
const settle = () => vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] })

test('a file is read anew after each change, also one of the same size in the same moment', () => {
  writeFileSync(path(), 'model = "a"')
  expect(model()).toBe('a')
  writeFileSync(path(), 'model = "b"')
  expect(model()).toBe('b')
  settle()
  expect(model()).toBe('b')
  // Of another size, since the time that is said to have passed has not.
  writeFileSync(path(), 'model = "another"')
  expect(model()).toBe('another')
  writeFileSync(join(home, 'other'), 'model = "d"')
  renameSync(join(home, 'other'), path())
  expect(model()).toBe('d')
  rmSync(path())
  expect(model()).toBeUndefined()
})

test('what lies over a file counts for the one who gave it alone', () => {
  writeFileSync(path(), 'model = "a"')
  settle()
  expect([
    model(),
    model({ flags: { model: 'flag' } }),
    model(),
    model({ config: { model: 'given' } }),
    model(),
  ]).toEqual(['a', 'flag', 'a', 'given', 'a'])
  expect(readEffectiveConfig({ home, flags: {} })).toBe(readEffectiveConfig({ home }))
})

test('a file has a stamp once its last change has settled, and another after the next change', () => {
  expect(settledStamp(path())).toBeNull()
  writeFileSync(path(), '')
  expect(settledStamp(path())).toBeNull()
  settle()
  const stamp = settledStamp(path())
  expect(stamp).not.toBeNull()
  expect(settledStamp(path())).toBe(stamp)
  utimesSync(path(), 1, 1)
  expect(settledStamp(path())).not.toBe(stamp)
})
