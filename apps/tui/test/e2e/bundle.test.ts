import { readFile, writeFile } from 'node:fs/promises'
import { tempWorkspace } from '@parley/testkit'
import { expect, test } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

test('a bundle is listed, written, opened in another folder and gone on with', async () => {
  await using world = await execWorld({ steps: [shell('echo printed'), { text: 'One.' }, { text: 'Two.' }] })
  await using other = await tempWorkspace()
  await world.exec([...fullAccess, 'the first task'])
  const written = await world.parley('bundle', '-o', 'a.tar')
  expect(written).toMatchObject({ exitCode: 0 })
  expect(written.stderr).toMatch(
    /the first task\n {2}folder .*\n {2}holds {4}1 turn in \d+ events: 1 message, 1 answer, 1 command\n/,
  )
  expect(written.stdout.split('\n')[0]).toBe(world.path('a.tar'))
  const opened = await world.parley('open', 'a.tar', '-C', other.path, '--json')
  const { shortId, cwd } = JSON.parse(opened.stdout)
  expect(cwd).toBe(other.path)
  const resumed = await world.execJson(['resume', shortId, 'the second task'])
  expect(resumed.end).toMatchObject({ exitCode: 0, answer: 'Two.' })
  expect(JSON.stringify(world.model.requests.at(-1)?.body)).toMatch(/the first task.*printed.*One\..*the second task/)
})

test('a bundle that was changed, a file that exists and one that is missing are said', async () => {
  await using world = await execWorld({ steps: [{ text: 'One.' }] })
  await world.exec(['the task'])
  await world.parley('bundle', '-o', 'a.tar')
  const bytes = await readFile(world.path('a.tar'))
  bytes[600] = (bytes[600] ?? 0) ^ 1
  await writeFile(world.path('changed.tar'), bytes)
  expect(await world.parley('open', 'changed.tar')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('is damaged: log.jsonl.gz is not as it was written'),
  })
  expect(await world.parley('open', 'none.tar')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('There is no file'),
  })
  expect(await world.parley('bundle', '-o', 'a.tar')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('exists already'),
  })
  expect(await world.parley('bundle', '-o', 'no/a.tar')).toMatchObject({
    exitCode: 9,
    stderr: expect.stringContaining('its folder does not exist'),
  })
  expect((await world.parley('list')).stdout.trim().split('\n')).toHaveLength(1)
})
