import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'
import { place, ready, send } from './interactive-program.ts'

/** Program that is no tool server, and leaves a file behind. */
const config = 'approval_policy = "never"\n[mcp_servers.theirs]\ncommand = "sh"\nargs = ["-c", "touch started"]\n'
const files = { '.parley/config.toml': config, '.parley/hooks.json': '{"session_start":[{"command":"touch started"}]}' }

test('a script works in a repository that configures parley as if it did not, until that is trusted', async () => {
  await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }], files })
  const first = await world.exec(['hi'])
  expect(first).toMatchObject({ exitCode: 0, stdout: 'One.\n' })
  expect(first.stderr.match(/^.*its own configuration.*$/gm)).toEqual([
    expect.stringMatching(/\(\.parley\/config\.toml, 1 tool server\)\. Nothing of it takes effect.*`parley trust`/),
  ])
  expect(existsSync(world.path('started'))).toBe(false)

  const shown = await world.parley('trust')
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^ {2}starts +sh -c "touch started"$/m)
  expect((await world.parley('trust', '--no')).stdout).toMatch(/^ {2}state +declined/m)

  const [yes = ''] = /parley trust --yes [0-9a-f]{64}/.exec(shown.stdout) ?? []
  expect((await world.shell(yes)).stdout).toMatch(/^ {2}state +trusted/m)
  expect((await world.parley('config')).stdout).toMatch(/^mcp_servers\.theirs\.command .*\.parley\/config\.toml/m)
  expect((await world.exec(['hi'])).exitCode).toBe(0)
  expect(existsSync(world.path('started'))).toBe(true)
})

test('a window says what a repository brings, trusts it only by a word, and raises no limit above its own flags', {
  timeout: 60_000,
}, async () => {
  await using at = await place([{ text: 'One.' }])
  mkdirSync(join(at.folder.path, '.parley'))
  writeFileSync(join(at.folder.path, '.parley', 'config.toml'), config)
  await using pty = at.start()
  await pty.waitFor(/brings its own configuration/)
  await pty.waitFor(ready)
  await send(pty, '/trust yes')
  await pty.waitFor(/Look at it first/)
  await send(pty, '/trust')
  await pty.waitFor(/starts +sh -c "touch started"[\s\S]*\/trust yes trusts exactly this/)
  pty.press('Enter')
  await send(pty, '/trust yes')
  await pty.waitFor(/Trusted\. It takes effect in new conversations/)
  await send(pty, '/trust')
  await pty.waitFor(/state +trusted/)
  await send(pty, '/sandbox danger-full-access')
  await pty.waitFor(/This session was not started for[\s\S]*-s\s+danger-full-access/)
  expect(existsSync(join(at.folder.path, 'started'))).toBe(false)
})
