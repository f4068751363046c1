import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HookEnd, runHook } from '@parley/engine/src/hooks/run-hook.ts'
import { systemClock } from '@parley/engine/src/ports/clock-and-ids.ts'
import { type Host, noSandbox, openHost } from '@parley/host'
import { isAlive, waitUntil } from '@parley/testkit'
import { startRemoteStreams } from '@parley/workspace/testing'
import { describe, expect, it } from 'vitest'
import { brittleLink } from '../../environments/support/brittle-link.ts'

const env = { PATH: process.env['PATH'] ?? '' }

interface Given {
  readonly input?: string
  /** Resolves when its time is over; after 20 s unless given. */
  readonly timeOver?: () => Promise<unknown>
  readonly signal?: AbortSignal
}

type Run = (script: string, given?: Given) => Promise<HookEnd>

async function runWith(processes: Pick<Host, 'spawnStreams'>, script: string, given: Given = {}): Promise<HookEnd> {
  const { input = '{}', timeOver, signal } = given
  const start = { argv: ['sh', '-c', script], cwd: tmpdir(), env, input, timeoutMs: 20_000, sandbox: noSandbox }
  const clock = timeOver === undefined ? systemClock : { ...systemClock, sleep: async () => void (await timeOver()) }
  return await runHook(start, { processes, clock }, signal ?? new AbortController().signal)
}

async function runHere(...asked: Parameters<Run>): Promise<HookEnd> {
  await using host = openHost()
  return await runWith(host, ...asked)
}

async function runThere(...asked: Parameters<Run>): Promise<HookEnd> {
  await using brittle = brittleLink(null)
  return await runWith({ spawnStreams: (spec) => startRemoteStreams(brittle.link, spec) }, ...asked)
}

describe.each([
  ['a hook', runHere],
  ['a hook in an environment', runThere],
])('%s', (_where, run: Run) => {
  it('gets its input, and its two outputs are kept apart', async () => {
    const input = JSON.stringify({ text: 'x'.repeat(300_000) })
    expect(await run('cat | wc -c; echo why >&2; exit 2', { input })).toMatchObject({
      how: 'exited',
      exitCode: 2,
      stdout: expect.stringMatching(/^\s*300012\n$/),
      stderr: 'why\n',
    })
  })

  it('may end without reading', async () => {
    const input = 'x'.repeat(1_000_000)
    expect(await run('exit 0', { input })).toMatchObject({ how: 'exited', exitCode: 0 })
  })

  it('that hangs is stopped with all that it started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-hook-'))
    const file = join(folder, 'pid')
    try {
      const hasStarted = () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')
      const timeOver = () => waitUntil(hasStarted, { what: 'its own process' })
      const end = await run(`trap '' TERM; sleep 300 & echo $! > ${file}; wait; sleep 300`, { timeOver })
      expect(end.how).toBe('timedOut')
      const pid = Number(readFileSync(file, 'utf8'))
      expect(await waitUntil(() => !isAlive(pid), { what: 'the end of what the hook started' })).toBe(true)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('that floods is stopped, and what is kept is bounded', async () => {
    const end = await run('yes')
    expect(end.how).toBe('flooded')
    expect(end.stdout.length).toBe(1024 * 1024)
  })

  it('is stopped with the turn', async () => {
    const stop = new AbortController()
    const ended = run('sleep 300', { signal: stop.signal })
    stop.abort()
    expect((await ended).how).toBe('interrupted')
  })
})

describe('a hook here', () => {
  it('that cannot be started says why', async () => {
    await using host = openHost()
    const start = { argv: ['/nowhere/hook'], cwd: tmpdir(), env, input: '', timeoutMs: 1000, sandbox: noSandbox }
    const end = await runHook(start, { processes: host, clock: systemClock }, new AbortController().signal)
    expect(end).toMatchObject({ how: 'notStarted', problem: expect.stringContaining('/nowhere/hook') })
  })
})
