import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
