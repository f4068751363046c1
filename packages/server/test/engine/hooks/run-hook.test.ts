import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noSandbox, openHost } from '@parley/host'
import { isAlive, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { type HookEnd, runHook } from '../../../src/engine/hooks/run-hook.ts'
import { systemClock } from '../../../src/ports/clock-and-ids.ts'

const env = { PATH: process.env['PATH'] ?? '' }

interface Given {
  readonly input?: string
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

async function run(script: string, { input = '{}', timeoutMs = 20_000, signal }: Given = {}): Promise<HookEnd> {
  await using host = openHost()
  const start = { argv: ['sh', '-c', script], cwd: tmpdir(), env, input, timeoutMs, sandbox: noSandbox }
  return await runHook(start, { processes: host, clock: systemClock }, signal ?? new AbortController().signal)
}

describe('a hook', () => {
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
      const end = await run(`trap '' TERM; sleep 300 & echo $! > ${file}; wait; sleep 300`, { timeoutMs: 300 })
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

  it('that cannot be started says why', async () => {
    await using host = openHost()
    const start = { argv: ['/nowhere/hook'], cwd: tmpdir(), env, input: '', timeoutMs: 1000, sandbox: noSandbox }
    const end = await runHook(start, { processes: host, clock: systemClock }, new AbortController().signal)
    expect(end).toMatchObject({ how: 'notStarted', problem: expect.stringContaining('/nowhere/hook') })
  })
})
