import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFileHistory } from '@parley/engine/src/history/file-history.ts'
import { type ChangedPath, initialState } from '@parley/protocol'
import { tempDirectory } from '@parley/testkit'
import { expect, it } from 'vitest'
import { testLocalPlace } from '../../environments/test-local-place.ts'

it('a look that fails costs no effect, is said once, and covers again what it can look at', async () => {
  await using folder = await tempDirectory()
  const cwd = join(folder.path, 'work')
  mkdirSync(cwd)
  const own = testLocalPlace(folder.path)
  const fault = Object.assign(new Error('EIO: i/o error, lstat'), {
    errno: -5,
    code: 'EIO',
    syscall: 'lstat',
    path: cwd,
  })
  let isBroken = true
  const environment = { ...own, secrets: () => (isBroken ? Promise.reject(fault) : own.secrets()) }
  const start = initialState('c')
  const state = { ...start, core: { ...start.core, meta: { ...start.core.meta, cwd } } }
  const told: unknown[][] = []
  await using history = createFileHistory({
    state: () => state,
    environment,
    folder: join(folder.path, '.parley/snapshots'),
    fetch: () => Promise.resolve(null),
    now: Date.now,
    redact: (text) => text,
    onUncovered: (...words) => told.push(words),
    onFault: (other) => told.push(['fault', other]),
  })
  const recorded: ChangedPath[] = []
  const write = (text: string) =>
    history.around({
      named: [],
      run: () => Promise.resolve(writeFileSync(join(cwd, 'a.txt'), text)),
      record: (changes) => Promise.resolve(void recorded.push(...changes)),
    })
  await write('one\n')
  await write('two\n')
  const sentence = 'What calls change is not covered now: the files here could not be looked at (i/o error).'
  expect([told, history.problem(), recorded]).toEqual([[[sentence, fault]], sentence, []])
  isBroken = false
  await write('three\n')
  expect([told.length, history.problem()]).toEqual([1, null])
  expect(recorded).toMatchObject([{ path: join(cwd, 'a.txt') }])
})
