import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startModelServer } from '@parley/testkit'
import { expect, test } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

test('a conversation, its log and its bundle are replayed without the model, and a changed log is found out', async () => {
  await using world = await execWorld({ steps: [shell('echo printed'), { text: 'One.' }] })
  await world.exec([...fullAccess, 'the task'])
  const asked = world.model.requests.length
  const replayed = await world.parley('replay')
  expect(replayed).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^The same: .*\n.*\n.* 2 with the hash/),
  })
  await world.shell('parley bundle -o a.tar && cp $(find "$PARLEY_HOME/sessions" -name "0*.jsonl") a.jsonl')
  await world.shell('cp -r $(find "$PARLEY_HOME/sessions" -name "0*.files") a.files')
  for (const file of ['a.tar', './a.jsonl'])
    expect(JSON.parse((await world.parley('replay', file, '--json')).stdout)).toMatchObject({ difference: null })
  const lines = (await readFile(world.path('a.jsonl'), 'utf8')).trimEnd().split('\n')
  const changed = lines.map((line) =>
    line.includes('"item.completed"') ? line.replace('exit 0', 'exit 1').replace(/,"crc":"\w+"\}$/, '}') : line,
  )
  await writeFile(world.path('a.jsonl'), `${changed.join('\n')}\n`)
  expect(await world.parley('replay', 'a.jsonl')).toMatchObject({
    exitCode: 11,
    stdout: expect.stringContaining('The model was asked something else'),
  })
  expect(await world.parley('replay', 'none.tar')).toMatchObject({ exitCode: 2 })
  expect(world.model.requests).toHaveLength(asked)
})

const released = join(import.meta.dirname, '../../../../packages/server/test/fixtures/replays')
const demos = readdirSync(released).filter((name) => name.endsWith('.jsonl'))

test.each(demos)(
  'the log %s of a release is the same for the program of now, which names what it added',
  async (name) => {
    await using world = await execWorld()
    const run = await world.parley('replay', join(released, name))
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^The same: /) })
  },
)

test('with --live-tools its calls run in a copy, in the sandbox and without the network, or not at all', async () => {
  await using world = await execWorld({ steps: [shell('cat input > made'), shell('cat input; ls'), { text: 'Done.' }] })
  await writeFile(world.path('input'), 'one\n')
  await world.exec([...fullAccess, 'the task'])
  await writeFile(world.path('made'), 'mine\n')
  const same = await world.parley('replay', '--live-tools')
  // A machine without a full sandbox refuses, in one sentence.
  if (same.exitCode === 2) return expect(same.stderr).toContain('enforced in full')
  expect(same).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^ {2}ran {9}2 calls in the sandbox/m) })
  await writeFile(world.path('input'), 'two\n')
  const other = await world.parley('replay', '--live-tools')
  expect(other).toMatchObject({
    exitCode: 11,
    stdout: expect.stringMatching(/"cat input > made" came to something else.*log .*one.*replay .*two/s),
  })
  expect(await readFile(world.path('made'), 'utf8')).toBe('mine\n')
})

test('with --live-tools a call that reached the network does not', async () => {
  await using model = await startModelServer([])
  const { port } = new URL(model.url)
  const reach = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached; true`
  await using world = await execWorld({ steps: [shell(reach), { text: 'Done.' }] })
  await world.exec([...fullAccess, 'the task'])
  const run = await world.parley('replay', '--live-tools')
  if (run.exitCode === 2) return expect(run.stderr).toContain('enforced in full')
  expect(run).toMatchObject({ exitCode: 11, stdout: expect.stringMatching(/log .*reached/s) })
})
