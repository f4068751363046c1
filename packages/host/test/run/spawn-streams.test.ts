import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { markVariable, openHost, type StreamedProcessSpec } from '../../src/index.ts'
import { startFixture } from '../fixture-process.ts'
import { markedPids, waitUntil } from '../waiting.ts'

const host = openHost()
afterAll(() => host.close())

function shell(script: string): StreamedProcessSpec {
  return { argv: ['sh', '-c', script], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } }
}

const markOf = (pid: number | null) =>
  new RegExp(`${markVariable}=([^\\0]+)`).exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? ''

describe('a process with streams', () => {
  it('reads stdin and writes stdout and stderr apart', async () => {
    const program = host.spawnStreams(shell('read line; echo "got $line"; echo aside >&2'))
    program.stdin?.write('hello\n')
    const [[answer], [aside]] = await Promise.all([
      once(program.stdout ?? process.stdin, 'data'),
      once(program.stderr ?? process.stdin, 'data'),
    ])
    expect(String(answer)).toBe('got hello\n')
    expect(String(aside)).toBe('aside\n')
    expect(await program.ended).toEqual({ exitCode: 0, signal: null })
  })

  it.each([
    ['no-such-program-here', '/', /not found/],
    ['sh', '/no/such/folder', /is not there: it was removed or never made/],
  ])('is not started as %s in %s, and its end reports why', async (name, cwd, what) => {
    const program = host.spawnStreams({ ...shell(''), argv: [name], cwd })
    expect(program.pid).toBeNull()
    expect((await program.ended).spawnError?.message).toMatch(what)
  })

  it('is not started by a closed host', async () => {
    const closed = openHost()
    await closed.close()
    const program = closed.spawnStreams(shell('cat'))
    expect([program.pid, program.stdin]).toEqual([null, null])
    expect((await program.ended).spawnError?.code).toBe('ECANCELED')
  })

  it('ends when its stdin is closed, if it reads it', async () => {
    const program = host.spawnStreams(shell('cat >/dev/null'))
    expect(await program.stop(10_000)).toEqual({ exitCode: 0, signal: null })
  })
})

describe.runIf(process.platform === 'linux')('the tree of a process with streams', { timeout: 60_000 }, () => {
  const tree = 'sleep 60 & setsid sleep 60 & (trap "" TERM; sleep 60) & '

  it('is killed when the process exits', async () => {
    const program = host.spawnStreams(shell(`${tree} read line`))
    const mark = markOf(program.pid)
    await waitUntil(() => markedPids(mark).length >= 4)
    program.stdin?.write('end\n')
    await program.ended
    await waitUntil(() => markedPids(mark).length === 0)
    expect(markedPids(mark)).toEqual([])
  })

  it('is killed when the process is stopped and ignores TERM', async () => {
    const program = host.spawnStreams(shell(`trap "" TERM; ${tree} while :; do sleep 1; done`))
    const mark = markOf(program.pid)
    await waitUntil(() => markedPids(mark).length >= 4)
    expect(await program.stop(0)).toMatchObject({ signal: 'SIGKILL' })
    await waitUntil(() => markedPids(mark).length === 0)
  })

  it('is killed when the process that started it is killed', async () => {
    await using server = startFixture('crashing-owner.ts', `${tree} cat`)
    await waitUntil(() => server.output().endsWith('\n'))
    const mark = markOf(Number(server.output()))
    await waitUntil(() => markedPids(mark).length >= 4)
    await server.kill()
    await waitUntil(() => markedPids(mark).length === 0)
    expect(markedPids(mark)).toEqual([])
  })
})
