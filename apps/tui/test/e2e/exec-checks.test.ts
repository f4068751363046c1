import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const touch = { calls: [{ name: 'shell', arguments: { command: 'touch made' } }] }
const free = ['-s', 'danger-full-access', '-a', 'never']

function isCheck(item: unknown): boolean {
  return JSON.stringify(item).includes('"title":"test -f made"')
}

test('a run whose checks pass in the end has an answer; --json has the checks', async () => {
  await using world = await execWorld({ steps: [{ text: 'Done.' }, touch, { text: 'Really done.' }] })
  const { end, events } = await world.execJson([...free, '--check', 'test -f made', 'make it'])
  expect(end).toMatchObject({ exitCode: 0, answer: 'Really done.', failure: null })
  const checks = events.filter(({ type, item }) => type === 'item.completed' && isCheck(item))
  expect(checks).toMatchObject([{ item: { exitCode: 1 } }, { item: { exitCode: 0 } }])
})

test('a run whose checks do not pass ends with 13, says which, and writes no answer', async () => {
  await using world = await execWorld({ steps: [{ text: 'Done.' }, { text: 'I cannot.' }] })
  const args = ['--check', 'test -f made', '--check-rounds', '1', '-o', world.path('answer'), 'make it']
  const { exitCode, stdout, stderr } = await world.exec([...free, ...args])
  expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: '' })
  expect(stderr).toContain('also after 1 round of mending: `test -f made` (exit 1)')
  expect(stderr).toContain('· Checks, time 2 of at most 2')
  expect(existsSync(world.path('answer'))).toBe(false)
})

test('a check that nobody allows ends the run with 13 at once, and the model is not asked again', async () => {
  await using world = await execWorld({ steps: [{ text: 'Done.' }] })
  const { end } = await world.execJson(['--check', 'touch made', '--check', 'ls', 'make it'])
  expect(end).toMatchObject({ exitCode: 13, failure: { code: 'checkDenied' }, denials: [{ title: 'touch made' }] })
  expect(world.model.requests).toHaveLength(1)
})

test.each([
  [['--check-rounds', '2'], 'give a --check'],
  [['review', '--check', 'ls'], 'A review changes nothing'],
  [Array.from({ length: 11 }, () => ['--check', 'ls']).flat(), 'At most 10 checks'],
])('flags of checks that fit nothing are usage errors: %j', async (args, said) => {
  await using world = await execWorld()
  const { exitCode, stderr } = await world.exec([...args, 'go'])
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(said) })
})
