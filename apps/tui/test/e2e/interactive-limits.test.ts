import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { place, ready, send } from './interactive-program.ts'

vi.setConfig({ testTimeout: 60_000 })

test('a change of limits leaves a line, and one that is refused says what to type', async () => {
  await using at = await place([{ text: 'One.' }])
  await using pty = at.start()
  await pty.waitFor(/asks before every change/)
  await send(pty, '/sandbox read-only')
  await pty.waitFor(/Sandbox: read-only\./)
  await send(pty, 'hello')
  await pty.waitFor(/One\./)
  await send(pty, '/sandbox danger-full-access')
  await pty.waitFor(/Leave, then: parley resume [0-9a-f]{8}\s+-s\s+danger-full-access/)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
})

test('a prompt with a secret in it that only the server knows of is not remembered', async () => {
  const secret = ['odd', 'value', '31337', 'Xy'].join('-')
  const config = ['[shell_environment.set]', `SHOP_TOKEN = "${secret}"`]
  await using at = await place([{ text: 'One.' }, { text: 'Two.' }], ...config)
  await using pty = at.start()
  await pty.waitFor(ready)
  await send(pty, `use ${secret}`)
  await pty.waitFor(/One\./)
  await send(pty, 'and now the other')
  await pty.waitFor(/Two\./)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  const remembered = readFileSync(join(at.home.env.PARLEY_HOME, 'prompts.jsonl'), 'utf8').trim().split('\n')
  expect(remembered.map((line) => JSON.parse(line).text)).toEqual(['and now the other'])
})

test('a limit of the conversation is asked about, and Enter on an empty line goes on', async () => {
  const look = { calls: [{ name: 'list_dir', arguments: {} }] }
  await using at = await place([look, { text: 'All seen.' }], '[limits]', 'max_turns = 1')
  await using pty = at.start()
  await pty.waitFor(ready)
  await send(pty, 'look around')
  await pty.waitFor(/Limit reached: 1 model call of this conversation, max_turns of \[limits\] is 1/)
  await pty.waitFor(/Enter on an empty line allows as much again/)
  pty.press('Enter')
  await pty.waitFor(/All seen\./)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
})
