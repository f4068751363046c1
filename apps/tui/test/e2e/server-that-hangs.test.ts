import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { commandOf, waitUntil } from '@parley/testkit'
import { test, vi } from 'vitest'
import { execWorld } from './exec-world.ts'
import { place, ready } from './interactive-program.ts'

// Each waits for as long as a server is given to answer, so they wait together.
vi.setConfig({ testTimeout: 60_000 })

const wasKilled = /The server \(process \d+\) did not answer for 2.5 s, so it was killed/

const isServer = (pid: number) => commandOf(pid).includes('server.mjs')

function stopServer(processes: readonly number[]): void {
  const server = processes.find(isServer)
  if (server === undefined) throw new Error('there is no server to stop')
  process.kill(server, 'SIGSTOP')
}

test.concurrent('exec refuses a pipe in place of a policy file, which nobody may ever write', async ({ expect }) => {
  await using world = await execWorld()
  execFileSync('mkfifo', [world.path('rules')])
  await using run = world.start(['--policy', 'rules', 'hi'])
  const { exitCode, stderr } = await run.result
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('it is a pipe, not a file') })
  expect(run.processes()).toEqual([])
})

test.concurrent('exec kills a server that was stopped in the middle of a turn', async ({ expect }) => {
  await using world = await execWorld({ steps: [{ hang: 'mid', text: 'half of it', chunks: 4 }] })
  await using run = world.start(['--json', 'hi'])
  await expect.poll(run.stdout, { timeout: 30_000 }).toContain('item.delta')
  stopServer(run.processes())
  run.signal('SIGTERM')
  const { exitCode, stderr } = await run.result
  expect({ exitCode, stderr }).toEqual({ exitCode: 143, stderr: expect.stringMatching(wasKilled) })
  expect(run.processes()).toEqual([])
})

test.concurrent('the terminal kills a server that did not get as far as a greeting', async ({ expect }) => {
  await using at = await place([])
  await using pty = at.start()
  await waitUntil(() => pty.processes().some(isServer), { what: 'its server' })
  stopServer(pty.processes())
  await pty.waitFor(ready)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  await waitUntil(() => pty.processes().length === 0, { what: 'the end of all' })
})

test.concurrent('the terminal kills a server that was stopped, and says so below its screen', async ({ expect }) => {
  await using at = await place([])
  await using pty = at.start()
  await pty.waitFor(/scripted/)
  stopServer(pty.processes())
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  expect(pty.terminal.transcript().join('')).toMatch(/did not answer for 2.5 s, so it was killed/)
  expect(pty.processes()).toEqual([])
})

test.concurrent('Ctrl+C leaves a terminal whose server was stopped in the middle of a turn', async ({ expect }) => {
  await using at = await place([{ hang: 'mid', text: 'half of it', chunks: 4 }])
  await using pty = at.start('go')
  await pty.waitFor(/half/)
  stopServer(pty.processes())
  const gone = pty.exited.then(() => true)
  // The first stops the turn, and two within 2 s leave.
  do pty.press('Ctrl+C')
  while (!(await Promise.race([gone, delay(400)])))
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
  expect(pty.terminal.transcript().join('')).toMatch(/did not answer for 2.5 s, so it was killed/)
  expect(pty.processes()).toEqual([])
  await using again = at.start('resume', '--last')
  await again.waitFor(/▌ go\s+half/)
  await again.waitFor(ready)
})
