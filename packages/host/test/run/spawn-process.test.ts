import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { noSandbox, openHost, type ProcessExit, type ProcessSpec, type RunningProcess } from '../../src/index.ts'
import { openWorkspace } from '../workspace.ts'

interface Observed {
  readonly process: RunningProcess
  /** Last 1,000 characters of each stream. */
  readonly said: Record<'stdout' | 'stderr' | 'pty', string>
  readonly bytes: () => number
  readonly exit: () => ProcessExit | null
}

const terminal = { rows: 24, cols: 80 }

function start(host: ReturnType<typeof openHost>, script: string, more: Partial<ProcessSpec> = {}): Observed {
  const said = { stdout: '', stderr: '', pty: '' }
  let bytes = 0
  let exit: ProcessExit | null = null
  const spec = { argv: ['sh', '-c', script], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } }
  const running = host.spawnProcess(
    { ...spec, terminal: null, pipeStdin: false, ...more },
    {
      sandbox: noSandbox,
      onOutput(stream, chunk) {
        bytes += chunk.length
        said[stream] = (said[stream] + chunk.toString()).slice(-1000)
      },
      onExit(ended) {
        exit = ended
      },
    },
  )
  return { process: running, said, bytes: () => bytes, exit: () => exit }
}

const openDescriptors = () => readdirSync('/proc/self/fd').length

describe('a process', { timeout: 60_000 }, () => {
  it('keeps stdout and stderr apart, and both can be opened by their names', async () => {
    await using host = openHost()
    const { process, said, exit } = start(host, 'echo a > /dev/stdout; echo b > /dev/stderr; exit 4')
    expect(await process.started).toBeNull()
    await process.closed
    expect([said, exit()]).toEqual([
      { stdout: 'a\n', stderr: 'b\n', pty: '' },
      { exitCode: 4, signal: null },
    ])
  })

  it.each([
    ['a pipe', null],
    ['a terminal', terminal],
  ])('that is paused waits in its write to %s, and loses no output, even when it exits', async (_, size) => {
    using workspace = openWorkspace()
    await using host = openHost()
    const script = `head -c 3000 /dev/zero; head -c 3000000 /dev/zero; touch ${workspace.path('done')}; echo end`
    const { process, bytes, exit, said } = start(host, script, { terminal: size })
    process.pause()
    await process.started
    const short = start(host, 'echo kept', { terminal: size })
    short.process.pause()
    await waitUntil(() => short.exit() !== null, { what: 'the exit' })
    // The output stays unread for longer than a drain takes; there is no event to wait for.
    await delay(300)
    expect([bytes(), short.bytes(), exit(), readdirSync(workspace.path('.'))]).toEqual([0, 0, null, []])
    process.resume()
    short.process.resume()
    await Promise.all([process.closed, short.process.closed])
    expect(said[size === null ? 'stdout' : 'pty']).toContain('end')
    expect(short.said[size === null ? 'stdout' : 'pty'].trim()).toBe('kept')
    expect(bytes()).toBeGreaterThanOrEqual(3_003_004)
  })

  it('that could not be started reports why and leaves no descriptor open', async () => {
    await using host = openHost()
    await host.warmUp()
    await start(host, 'true', { terminal }).process.closed
    await start(host, 'true', { pipeStdin: true }).process.closed
    const before = openDescriptors()
    const failures = await Promise.all(
      [{}, { terminal }, { pipeStdin: true }].map(async (more) => {
        const { process } = start(host, '', { ...more, argv: ['no-such-program'] })
        const failure = await process.started
        await process.closed
        return failure
      }),
    )
    expect(failures.map((failure) => [failure?.code, failure?.subject])).toEqual(Array(3).fill(['ENOENT', 'program']))
    await waitUntil(() => openDescriptors() <= before, { what: 'the descriptors' })
  })

  it('many times over leaves as many descriptors open as before', async () => {
    await using host = openHost()
    const round = async () => {
      const all = [{}, { terminal }, { pipeStdin: true }].map((more) => start(host, 'echo x', more))
      await Promise.all(all.map(({ process }) => process.closed))
    }
    await round()
    await host.warmUp()
    const before = openDescriptors()
    for (let index = 0; index < 10; index++) await round()
    // The pools refill themselves in batches.
    expect(await waitUntil(() => openDescriptors() <= before + 64, { what: 'the descriptors' })).toBe(true)
  })

  it('that is killed before it has started never starts', async () => {
    using workspace = openWorkspace()
    await using host = openHost()
    const { process, exit } = start(host, `touch ${workspace.path('started')}`)
    process.kill()
    expect((await process.started)?.code).toBe('ECANCELED')
    await process.closed
    expect([exit(), readdirSync(workspace.path('.'))]).toEqual([null, []])
  })

  it('ends with its host, its tree included, paused or not', async () => {
    const host = openHost()
    const tree = start(host, '(setsid sleep 60 &) ; echo up; sleep 60')
    const paused = start(host, 'yes', { terminal })
    paused.process.pause()
    await waitUntil(() => tree.said.stdout === 'up\n', { what: 'the tree' })
    await host.close()
    expect([tree.exit()?.signal, paused.exit()?.signal]).toEqual(['SIGKILL', 'SIGKILL'])
    const late = start(host, 'echo never')
    expect((await late.process.started)?.code).toBe('ECANCELED')
  })

  it('that has ended takes no bytes, no signal and no size', async () => {
    await using host = openHost()
    const { process } = start(host, 'read x; exit 0', { pipeStdin: true })
    expect(await process.started).toBeNull()
    expect(await process.write(Buffer.from('x\n'))).toBe(true)
    await process.closed
    expect([process.takesInput, process.signal('SIGTERM'), process.resize(terminal)]).toEqual([false, false, false])
    expect(await process.write(Buffer.from('late'))).toBe(false)
  })
})
