import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cliPath, startProgram, tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type ExecWorld, execWorld, fullAccess, shell, toldModel } from './exec-world.ts'

/** The built exec-server with a home and a folder of its own, started as docs/environments.md says. */
async function farMachine() {
  await using stack = new AsyncDisposableStack()
  const root = stack.use(await tempDirectory())
  const at = (...names: string[]) => join(root.path, ...names)
  await mkdir(at('app'))
  await mkdir(at('home'))
  const args = ['exec-server', '--listen', 'ws://127.0.0.1:0', '--token-file', at('token')] as const
  const env = { HOME: at('home'), PARLEY_HOME: at('home/.parley') }
  const run = stack.use(startProgram([process.execPath, cliPath, ...args], { env, cwd: at('app'), timeoutMs: 60_000 }))
  const listens = await waitUntil(() => /listens on (ws:\S+)/.exec(run.stderr()), {
    what: 'the exec-server',
    timeoutMs: 30_000,
  })
  const owned = stack.move()
  return { at, url: listens[1] ?? '', [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

type FarMachine = Awaited<ReturnType<typeof farMachine>>

async function configure({ env, model }: ExecWorld, far: Pick<FarMachine, 'at' | 'url'>): Promise<void> {
  const config = `
model = "scripted"
model_provider = "local"
[model_providers.local]
base_url = "${model.url}"
wire_api = "responses"

[environments.box]
url = "${far.url}"
token_file = "${far.at('token')}"
cwd = "${far.at('app')}"
`
  await writeFile(join(env.PARLEY_HOME, 'config.toml'), config)
}

describe('--environment', () => {
  test('runs what the model asks for on the other machine, with its home and its files', async () => {
    await using far = await farMachine()
    const steps = [shell('pwd; echo "$HOME"; echo there > made'), { text: 'Done.' }, { text: 'Still here.' }]
    await using world = await execWorld({ steps })
    await configure(world, far)
    const { result, end } = await world.execJson([...fullAccess, '--environment', 'box', 'hi'])
    expect(result).toMatchObject({ exitCode: 0 })
    expect(toldModel(world)[0]).toContain(`${far.at('app')}\n${far.at('home')}\n`)
    expect(await readFile(far.at('app/made'), 'utf8')).toBe('there\n')
    await expect(readFile(world.path('made'))).rejects.toThrow('ENOENT')
    const resumed = await world.exec(['resume', end.conversationId, 'again'])
    expect(resumed).toMatchObject({ exitCode: 0, stdout: 'Still here.\n' })
  })

  test('says in one sentence what is wrong, and asks no model', async () => {
    await using world = await execWorld()
    await configure(world, { at: (...names) => world.path(names.join('/')), url: 'ws://127.0.0.1:9' })
    const noToken = await world.exec(['--environment', 'box', 'hi'])
    expect(noToken).toMatchObject({ exitCode: 8, stdout: '' })
    expect(noToken.stderr).toContain('The environment box cannot be reached: its token_file')
    await writeFile(world.path('token'), 'secret')
    const nobody = await world.exec(['--environment', 'box', 'hi'])
    expect(nobody).toMatchObject({ exitCode: 8, stdout: '' })
    expect(nobody.stderr).toContain('cannot connect to ws://127.0.0.1:9: nothing listens there (ECONNREFUSED)')
    const misspelt = await world.exec(['-c', 'environment=bx', 'hi'])
    expect(misspelt).toMatchObject({ exitCode: 2 })
    expect(misspelt.stderr).toContain('Did you mean "box"?')
    expect(world.model.requests).toHaveLength(0)
  })
})
