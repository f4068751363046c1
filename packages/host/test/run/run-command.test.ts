import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandSpec, type Host, noSandbox, openHost, type StartOptions } from '../../src/index.ts'
import { command, markedPids, shellCommand, waitUntil } from '../waiting.ts'
import { openWorkspace } from '../workspace.ts'

const sandbox = noSandbox
let host: Host
beforeAll(async () => {
  host = openHost()
  await host.warmUp()
})
afterAll(() => host.close())

const start = (spec: CommandSpec, more: Partial<StartOptions> = {}) => host.runCommand(spec, { sandbox, ...more })
const run = (spec: CommandSpec) => start(spec).ended
/** Returns the lines of the traps, without the shell's own report of the killed `sleep`. */
const signalsSaid = (end: { head: Buffer; tail: Buffer }) =>
  text(end)
    .split('\n')
    .filter((line) => line === 'INT' || line === 'TERM')
const text = (end: { head: Buffer; tail: Buffer }) => Buffer.concat([end.head, end.tail]).toString()

describe('the end of a command', { timeout: 60_000 }, () => {
  it.each([0, 1, 42, 126, 127, 255])('exit code %i is reported unchanged', async (code) => {
    const end = await run(shellCommand(`exit ${code}`))
    expect(end).toMatchObject({ exitCode: code, signal: null, reason: 'exited', leftovers: 0 })
    expect(end.spawnError).toBeUndefined()
  })

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'])('a command that dies of %s has that signal in its end', async (signal) => {
    const end = await run(shellCommand(`kill -${signal.slice(3)} $$`))
    expect(end).toMatchObject({ exitCode: null, signal, reason: 'exited' })
  })

  it('runs in its own session, with nothing to read, in its directory and only its environment', async () => {
    const script = 'cat; pwd; ps -o sid= -p $$; echo $$; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD='
    const spec = shellCommand(script, { cwd: '/usr' })
    const [directory, session, pid, ...environment] = text(await run(spec))
      .trim()
      .split(/\s+/)
    expect([directory, session]).toEqual(['/usr', pid])
    expect(environment.sort()).toEqual([`PARLEY_MARK=${spec.mark}`, `PATH=${spec.env['PATH']}`])
  })

  it('spawns before runCommand returns when a FIFO is ready', async () => {
    const running = start(shellCommand('echo $$'))
    const { pid } = running
    expect(text(await running.ended).trim()).toBe(String(pid))
  })

  it('a command that stopped itself still ends by its timeout', async () => {
    const spec = shellCommand('kill -STOP $$; sleep 60', { timeoutMs: 50 })
    const end = await run(spec)
    expect(end.reason).toBe('timedOut')
    await waitUntil(() => markedPids(spec.mark).length === 0)
  })

  it('a command that closes its output runs until it exits', async () => {
    const running = start(shellCommand('echo last; exec >&- 2>&-; sleep 0.2; exit 3'))
    const end = await running.ended
    expect(end).toMatchObject({ exitCode: 3, reason: 'exited' })
    expect(text(end)).toBe('last\n')
  })
})

describe('the output of a command', { timeout: 60_000 }, () => {
  it('stdout and stderr arrive in the order in which they were written', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `${index % 2 === 0 ? 'out' : 'err'} ${index}`)
    const script = lines.map((line, index) => `echo ${line}${index % 2 === 0 ? '' : ' >&2'}`).join('\n')
    expect(text(await run(shellCommand(script))).trim()).toBe(lines.join('\n'))
  })

  it('/dev/stdout and /dev/stderr can be opened', async () => {
    const end = await run(shellCommand('echo one > /dev/stderr; echo two > /dev/stdout; echo three >> /dev/stderr'))
    expect(text(end)).toBe('one\ntwo\nthree\n')
  })

  it('binary output is kept byte for byte', async () => {
    using workspace = openWorkspace()
    const path = workspace.path('spool')
    const print = 'process.stdout.write(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256)))'
    const end = await run(command([process.execPath, '-e', print], { spool: { path } }))
    const expected = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256))
    expect(end.head).toEqual(expected)
    expect(readFileSync(path)).toEqual(expected)
  })

  it('a listener gets every byte with the running total', async () => {
    const totals: number[] = []
    const chunks: Buffer[] = []
    const onOutput = (chunk: Buffer, totalBytes: number) => {
      chunks.push(Buffer.from(chunk))
      totals.push(totalBytes - chunk.length)
    }
    const end = await start(shellCommand('seq 1 20000'), { onOutput }).ended
    expect(Buffer.concat(chunks).length).toBe(end.totalBytes)
    expect(totals).toEqual(chunks.map((_, index) => Buffer.concat(chunks.slice(0, index)).length))
  })

  it('100 MB: the total is exact, head and tail are right, the spool stops at its cap, memory stays flat', async () => {
    using workspace = openWorkspace()
    const path = workspace.path('spool')
    const before = process.memoryUsage().rss
    let peak = 0
    const onOutput = () => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }
    const script = 'echo first; head -c 100000000 /dev/zero; echo last'
    const spec = shellCommand(script, { spool: { path, maxBytes: 1_000_000 }, headBytes: 1000, tailBytes: 2000 })
    const end = await start(spec, { onOutput }).ended
    expect(end.totalBytes).toBe(100_000_011)
    expect([end.head.length, end.tail.length, end.omittedBytes]).toEqual([1000, 2000, 99_997_011])
    expect([end.head.subarray(0, 6).toString(), end.tail.subarray(-6).toString()]).toEqual(['first\n', '\0last\n'])
    expect(end.spool).toEqual({ path, bytes: 1_000_000, complete: false })
    expect(readFileSync(path).length).toBe(1_000_000)
    expect(peak - before).toBeLessThan(64 * 1024 * 1024)
  })

  it('output left in the pipe is read even when this process was busy for longer than the drain', async () => {
    const running = start(shellCommand('setsid sleep 60 & head -c 60000 /dev/zero'))
    const until = performance.now() + 400
    while (performance.now() < until);
    expect((await running.ended).totalBytes).toBe(60_000)
  })

  it('can be read while the command runs', async () => {
    const running = start(shellCommand('echo now; exec sleep 60'))
    await waitUntil(() => text(running.output()) === 'now\n')
    running.stop('shutdown')
    expect(text(await running.ended)).toBe('now\n')
  })

  it('is kept in memory when the spool cannot be made', async () => {
    using workspace = openWorkspace()
    const path = workspace.path('missing/spool')
    const end = await run(shellCommand('echo hello', { spool: { path } }))
    expect(text(end)).toBe('hello\n')
    expect(end.spool).toEqual({ path, bytes: 0, complete: false, errorCode: 'ENOENT' })
  })
})

describe('stopping', { timeout: 60_000 }, () => {
  it('a command that ignores INT and TERM gets both, in order, and then KILL', async () => {
    const script = 'trap "echo INT" INT; trap "echo TERM" TERM; echo ready; while :; do sleep 0.01; done'
    const running = start(shellCommand(script))
    await waitUntil(() => running.output().totalBytes > 0)
    running.stop('interrupted')
    const end = await running.ended
    expect(signalsSaid(end)).toEqual(['INT', 'TERM'])
    expect(end).toMatchObject({ reason: 'interrupted', exitCode: null, signal: 'SIGKILL' })
  })

  it('a command that obeys INT ends with its own exit code', async () => {
    const running = start(shellCommand('trap "echo bye; exit 5" INT; echo ready; while :; do sleep 0.01; done'))
    await waitUntil(() => running.output().totalBytes > 0)
    running.stop('interrupted')
    expect(await running.ended).toMatchObject({ reason: 'interrupted', exitCode: 5, signal: null })
  })

  it('a shutdown sends TERM and no INT', async () => {
    const script = 'trap "echo INT" INT; trap "echo TERM; exit 0" TERM; echo ready; while :; do sleep 0.01; done'
    const running = start(shellCommand(script))
    await waitUntil(() => running.output().totalBytes > 0)
    running.stop('shutdown')
    const end = await running.ended
    expect(signalsSaid(end)).toEqual(['TERM'])
    expect(end.reason).toBe('shutdown')
  })

  it('an interrupt before the spawn runs nothing', async () => {
    await using cold = openHost()
    using workspace = openWorkspace()
    const running = cold.runCommand(shellCommand(`echo > ${workspace.path('ran')}`), { sandbox })
    expect(running.pid).toBeNull()
    running.stop('interrupted')
    expect(await running.ended).toMatchObject({ reason: 'interrupted', exitCode: null, totalBytes: 0 })
    await cold.close()
    expect(() => readFileSync(workspace.path('ran'))).toThrow('ENOENT')
  })

  it('an interrupt right after the spawn is not lost', async () => {
    const running = start(command(['sleep', '60']))
    running.stop('interrupted')
    expect(await running.ended).toMatchObject({ reason: 'interrupted', signal: 'SIGINT' })
  })

  it('an interrupt while the output is drained is not lost and keeps the exit code', async () => {
    const spec = shellCommand(`setsid sh -c 'while :; do echo; sleep 0.01; done' & exit 4`)
    const running = start(spec, {
      onOutput() {
        if (!markedPids(spec.mark).includes(running.pid ?? 0)) running.stop('interrupted')
      },
    })
    const end = await running.ended
    expect(end).toMatchObject({ reason: 'interrupted', exitCode: 4, signal: null })
    await waitUntil(() => markedPids(spec.mark).length === 0)
  })

  it('a stop after the end changes nothing', async () => {
    const running = start(shellCommand('exit 2'))
    const end = await running.ended
    running.stop('interrupted')
    expect(await running.ended).toBe(end)
    expect(end.reason).toBe('exited')
  })

  it('the first reason is kept', async () => {
    const running = start(command(['sleep', '60']))
    running.stop('interrupted')
    running.stop('shutdown')
    expect((await running.ended).reason).toBe('interrupted')
  })

  it('a closed host runs nothing more', async () => {
    const closed = openHost()
    await closed.close()
    const running = closed.runCommand(shellCommand('echo hello'), { sandbox })
    expect(await running.ended).toMatchObject({ reason: 'shutdown', totalBytes: 0 })
  })
})
