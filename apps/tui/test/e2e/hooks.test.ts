import { existsSync, readFileSync } from 'node:fs'
import { commandOf, isAlive, waitUntil } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Hook that says on which call it runs, and goes on once there is a file. */
const slow = 'echo $$ >> began; until [ -e go ]; do sleep 0.05; done'

type World = Awaited<ReturnType<typeof execWorld>>

async function writeHook(world: World, on: string): Promise<void> {
  const config = `[[hooks.${on}]]\nmatcher = "Bash"\nhooks = [{ name = "slow", command = "${slow}" }]\n`
  await world.writeConfig(`${readFileSync(`${world.env.PARLEY_HOME}/config.toml`, 'utf8')}\n${config}`)
}

/** Kills client and server while the hook runs. Resolves to the process of the hook, which has ended. */
async function killWhileItRuns(world: World): Promise<string> {
  await using run = world.start([...fullAccess, '--json', 'the task'], { timeoutMs: 60_000 })
  const isRunning = () => run.stdout().includes('"hook.running"')
  await waitUntil(isRunning, { what: 'a hook that takes long', timeoutMs: 60_000 })
  const server = run.processes().find((pid) => commandOf(pid).includes('server.mjs'))
  run.signal('SIGKILL')
  process.kill(server ?? 0, 'SIGKILL')
  await run.result
  const [hook = ''] = readFileSync(world.path('began'), 'utf8').split('\n')
  await waitUntil(() => !isAlive(Number(hook)), { what: 'the end of the hook', timeoutMs: 30_000 })
  return hook
}

test('a call whose hook runs when parley is killed is not run, and neither the hook nor the call is left', async () => {
  await using world = await execWorld({
    steps: [shell('touch made'), { text: 'I see.' }, shell('touch made-later'), { text: 'Done.' }],
  })
  await writeHook(world, 'PreToolUse')
  const hook = await killWhileItRuns(world)

  const resumed = (words: string) => world.start(['resume', '--last', ...fullAccess, words], { timeoutMs: 60_000 })
  await using next = resumed('what happened?')
  expect((await next.result).stdout).toContain('I see.')
  const told = world.model.requests.at(-1)?.text ?? ''
  expect(told).toContain('what happened?')
  expect(existsSync(world.path('made'))).toBe(false)
  expect(readFileSync(world.path('began'), 'utf8')).toBe(`${hook}\n`)

  await using last = resumed('again')
  const again = () => readFileSync(world.path('began'), 'utf8').split('\n').length > 2
  await waitUntil(again, { what: 'the hook of a call that the model makes anew', timeoutMs: 60_000 })
  expect(existsSync(world.path('made-later'))).toBe(false)
  await world.shell('touch go')
  expect((await last.result).exitCode).toBe(0)
  expect(existsSync(world.path('made-later'))).toBe(true)
})

test('a hook after a call that runs when parley is killed does not run again, which the user and the model are told', async () => {
  await using world = await execWorld({ steps: [shell('touch made'), { text: 'I see.' }] })
  await writeHook(world, 'PostToolUse')
  const hook = await killWhileItRuns(world)
  const next = await world.exec(['resume', '--last', ...fullAccess, 'what happened?'])
  expect(`${next.stdout}${next.stderr}`).toContain('cut off, end unknown: hook slow (PostToolUse)')
  expect(world.model.requests.at(-1)?.text).toContain('(slow, PostToolUse):\\nIt was cut off')
  expect(readFileSync(world.path('began'), 'utf8')).toBe(`${hook}\n`)
})
