import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CommandSpec,
  createMark,
  openHost,
  type ProcessExit,
  type ProcessSpec,
  type RunningProcess,
} from '../../../src/index.ts'
import { prepareBubblewrap } from '../../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import type { SandboxLimits } from '../../../src/sandbox/sandbox.ts'
import { listPids } from '../../../src/system/process-table.ts'
import { fixturePath } from '../../fixture-process.ts'
import { markedPids, waitUntil } from '../../waiting.ts'
import { openPlayground, type Playground } from '../playground.ts'
import { hasBubblewrap, machine, whyNot } from './bubblewrap-here.ts'

const host = openHost()
beforeAll(() => host.warmUp())
afterAll(() => host.close())

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const isOnPath = (name: string) => env.PATH.split(':').some((folder) => existsSync(join(folder, name)))
const text = (end: { head: Buffer; tail: Buffer }) => Buffer.concat([end.head, end.tail]).toString()
const prepare = (ground: Playground, more: Partial<SandboxLimits> = {}, program = '/usr/bin/bwrap') =>
  prepareBubblewrap(ground.limits(more), { ...machine(ground.path('home')), program })

function isPipe(fd: string): boolean {
  try {
    return /fifo|pipe/.test(readlinkSync(`/proc/self/fd/${fd}`))
  } catch {
    return true // the one that listed them
  }
}

/** Processes whose first argument is the name; a process without the variables of its parent carries no mark. */
function pidsNamed(name: string): number[] {
  return listPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(`${name}\0`)
    } catch {
      return false // It ended meanwhile.
    }
  })
}

async function start(ground: Playground, script: string, more: Partial<CommandSpec> = {}) {
  const spec = { argv: ['bash', '-c', script], cwd: ground.path('workspace'), env, mark: createMark(), ...more }
  return host.runCommand(spec, { sandbox: await prepare(ground) })
}
const run = async (ground: Playground, script: string, more: Partial<CommandSpec> = {}) =>
  (await start(ground, script, more)).ended

describe.skipIf(!hasBubblewrap)(`a command in its sandbox${whyNot}`, { timeout: 60_000 }, () => {
  it.each([0, 1, 126, 127, 255])('exit code %i is reported unchanged', async (code) => {
    using ground = openPlayground()
    expect(await run(ground, `exit ${code}`)).toMatchObject({ exitCode: code, signal: null, reason: 'exited' })
  })

  it('has the outputs, the name, the env and the directory that it was given, and no more', async () => {
    using ground = openPlayground()
    const argv = [
      'bash',
      '-c',
      'echo out; echo err >&2; echo "$0 $1"; pwd; env | cut -d= -f1 | sort | tr "\\n" " "',
      'exit',
      'a  b',
    ]
    const end = await run(ground, '', { argv, env: { ...env, SECRET: 'x', 'odd-name': 'y' } })
    const [out, err, words, folder, names] = text(end).split('\n')
    expect([out, err, words, folder]).toEqual(['out', 'err', 'exit a  b', ground.path('workspace')])
    const usual = ['PARLEY_MARK', 'PATH', 'PWD', 'SECRET', 'TMPDIR', 'XDG_CACHE_HOME', 'npm_config_cache']
    expect(names?.split(' ')).toEqual(expect.arrayContaining(usual))
  })

  it('cannot direct the linker of the sandbox itself', async () => {
    using ground = openPlayground()
    const end = await run(ground, 'echo fine', {
      env: { ...env, LD_AUDIT: '/nowhere/a.so', LD_LIBRARY_PATH: ground.path('workspace') },
    })
    expect(end.exitCode).toBe(0)
  })

  it.each(['builtin', 'exit', 'cd'])('a program named as a word of the shell (%s) is not the shell’s', async (name) => {
    using ground = openPlayground()
    const end = await run(ground, '', { argv: [name, '0'] })
    // Some systems have these names as programs, too.
    const expected = isOnPath(name)
      ? { reason: 'exited' }
      : { spawnError: expect.objectContaining({ code: 'ENOENT', subject: 'program' }) }
    expect(end).toMatchObject(expected)
  })

  it('that is missing, or whose directory is missing, is reported as without a sandbox', async () => {
    using ground = openPlayground()
    writeFileSync(ground.path('workspace/plain'), '')
    const missing = await run(ground, '', { argv: ['no-such-program'] })
    const closed = await run(ground, '', { argv: ['./plain'] })
    const nowhere = await run(ground, '', { cwd: ground.path('gone') })
    const hidden = await run(ground, '', { cwd: ground.path('out') })
    expect(missing).toMatchObject({
      exitCode: 127,
      reason: 'spawnFailed',
      spawnError: { code: 'ENOENT', subject: 'program' },
    })
    expect(closed).toMatchObject({
      exitCode: 126,
      reason: 'spawnFailed',
      spawnError: { code: 'EACCES', subject: 'program' },
    })
    expect(nowhere).toMatchObject({
      exitCode: null,
      reason: 'spawnFailed',
      spawnError: { code: 'ENOENT', subject: 'cwd' },
    })
    expect(hidden).toMatchObject({ reason: 'spawnFailed', spawnError: { code: 'ENOENT', subject: 'cwd' } })
  })

  it('is not run when the sandbox breaks, which is reported unlike a failed command', async () => {
    using ground = openPlayground()
    writeFileSync(ground.path('bwrap'), '#!/bin/sh\necho no namespaces here >&2\nexit 1\n', { mode: 0o755 })
    const sandbox = await prepare(ground, {}, ground.path('bwrap'))
    const spec = { argv: ['touch', ground.path('workspace/x')], cwd: ground.path('workspace'), env, mark: createMark() }
    const end = await host.runCommand(spec, { sandbox }).ended
    expect(end).toMatchObject({ exitCode: null, reason: 'spawnFailed' })
    expect(end.spawnError).toMatchObject({ subject: 'sandbox', message: expect.stringContaining('no namespaces here') })
    expect(readdirSync(ground.path('workspace')).sort()).toEqual(['.git', 'file', 'src'])
  })

  it('whose bwrap is missing is not run either', async () => {
    using ground = openPlayground()
    const sandbox = await prepare(ground, {}, ground.path('gone'))
    const spec = { argv: ['true'], cwd: '/', env, mark: createMark() }
    expect(await host.runCommand(spec, { sandbox }).ended).toMatchObject({ spawnError: { subject: 'sandbox' } })
  })

  it('many times over, failing or not, leaves as many descriptors open as before', async () => {
    using ground = openPlayground()
    const hidden = ['a', 'b'].map((name) => ground.path(`home/${name}`))
    for (const path of hidden) writeFileSync(path, '')
    const once = async (argv: readonly string[], program?: string) => {
      const sandbox = await prepare(ground, { masked: hidden }, program)
      await host.runCommand({ argv, cwd: ground.path('workspace'), env, mark: createMark() }, { sandbox }).ended
    }
    const all = async () => {
      for (const argv of [['true'], ['false'], ['no-such-program'], ['a'.repeat(200_000)], ['true', '\0']])
        await once(argv)
      await once(['true'], ground.path('gone'))
    }
    // The pool keeps a varying number of FIFOs ready.
    const open = () => readdirSync('/proc/self/fd').filter((fd) => !isPipe(fd)).length
    await all()
    const before = open()
    await all()
    expect(open()).toBe(before)
  })

  it('cannot falsify its process group, nor that it was run', async () => {
    using ground = openPlayground()
    const forge = `for fd in /proc/1/fd/[3-9]*; do : > $fd; echo '{ "child-pid": 1 }' > $fd; done; exit 7`
    expect(await run(ground, forge)).toMatchObject({ exitCode: 7, reason: 'exited' })
  })

  it('gets INT itself, while its sandbox continues', async () => {
    using ground = openPlayground()
    const running = await start(ground, `trap 'echo INT; exit 5' INT; echo ready; while :; do sleep 0.05; done`)
    await waitUntil(() => text(running.output()).includes('ready'))
    running.stop('interrupted')
    const end = await running.ended
    expect(end).toMatchObject({ exitCode: 5, reason: 'interrupted' })
    expect(text(end)).toContain('INT')
  })

  it('leaves nothing of a tree that is stubborn, whoever ends it', async () => {
    using ground = openPlayground()
    const name = `parley-${createMark()}`
    const script = `trap '' INT TERM; (setsid sh -c 'exec </dev/null >/dev/null 2>&1; env -i bash -c "exec -a ${name} sleep 61"' &); sleep 62 & echo ready; while :; do sleep 1; done`
    const running = await start(ground, script)
    await waitUntil(() => text(running.output()).includes('ready') && markedPids(running.mark).length >= 5)
    await waitUntil(() => pidsNamed(name).length === 1)
    running.stop('shutdown')
    const end = await running.ended
    expect(end).toMatchObject({ reason: 'shutdown', exitCode: 137 })
    expect(markedPids(running.mark)).toEqual([])
    await waitUntil(() => pidsNamed(name).length === 0)
  })

  it('is over when its first process is, and what it left is dead and counted', async () => {
    using ground = openPlayground()
    const end = await run(ground, `setsid sh -c 'exec sleep 60' & (setsid env -i sleep 60 &) ; exit 3`)
    expect(end).toMatchObject({ exitCode: 3, leftovers: 2 })
  })

  it.each([
    ['names of files', ') *'],
    ['a state of its own', ') Z 1'],
    ['an assignment', 'x) S 1 code=0'],
  ])('keeps its exit code when it leaves a process with a line end and %s in its name', async (_, name) => {
    using ground = openPlayground()
    // Seven names, of which the last is read where the flags of a process are.
    for (const file of ['1', '2', '3', '4', '5', '6', 'code=0']) writeFileSync(ground.path(`workspace/src/${file}`), '')
    const script = `(printf '%s\\n' '${name}' >/proc/self/comm; sleep 60 & : >named; wait) & until [ -e named ]; do :; done; exit 3`
    const end = await run(ground, script, { cwd: ground.path('workspace/src') })
    expect(end).toMatchObject({ exitCode: 3, leftovers: 2 })
  })

  it('is not run when a folder became a link to a secret after the limits were prepared', async () => {
    using ground = openPlayground('/var/tmp')
    mkdirSync(ground.path('workspace/sub/.git/hooks'), { recursive: true })
    const sandbox = await prepare(ground)
    rmSync(ground.path('workspace/sub/.git'), { recursive: true })
    symlinkSync('../../home/.ssh', ground.path('workspace/sub/.git'))
    const argv = ['cat', ground.path('home/.ssh/id'), ground.path('workspace/sub/.git/id')]
    const spec = { argv, cwd: ground.path('workspace'), env, mark: createMark() }
    const end = await host.runCommand(spec, { sandbox }).ended
    expect(end.exitCode).toBe(125)
    expect(text(end)).toContain('a folder was exchanged meanwhile; nothing was run')
    expect(text(end)).not.toContain('secret key')
  })

  it.each([
    ['a circle', '.mcp.json'],
    ['another circle', 'circle'],
    ['a circle below itself', '.mcp.json/x'],
    ['a file as if it were a folder', 'file/x/y'],
    ['too long a name', 'x'.repeat(300)],
    ['nothing', 'nowhere/deep.json'],
    ['nothing outside', '/nowhere/deep.json'],
  ])('is run when a guarded name is a link to %s, and cannot write through it', async (_, target) => {
    using ground = openPlayground('/var/tmp')
    symlinkSync('circle', ground.path('workspace/circle'))
    for (const name of ['.mcp.json', '.vscode']) symlinkSync(target, ground.path(`workspace/${name}`))
    const script = `echo ran; { rm -f file; mkdir -p file/x nowhere; echo x >.mcp.json; } 2>/dev/null; cat .mcp.json`
    const end = await run(ground, script)
    expect(end).toMatchObject({ reason: 'exited', exitCode: 1 })
    expect(text(end)).toMatch(/^ran\n/)
  })

  it('does not release the names that are reserved for another command', async () => {
    using ground = openPlayground()
    execFileSync('mkfifo', [ground.path('workspace/go')])
    const earlier = await prepare(ground)
    const first = await start(
      ground,
      'exec 4<>go; echo ready; read -r _ <&4; mkdir .parley/x .vscode; touch .envrc/x; true',
    )
    await waitUntil(() => text(first.output()).includes('ready'))
    expect(await run(ground, 'rm -rf .parley')).toMatchObject({ exitCode: 1 })
    earlier.release?.()
    writeFileSync(ground.path('workspace/go'), '\n')
    expect(text(await first.ended).match(/Read-only|exists/g)).toHaveLength(3)
    expect(readdirSync(ground.path('workspace')).filter((name) => name.startsWith('.'))).toEqual(['.git'])
  })
})

describe.skipIf(!hasBubblewrap)('a process in its sandbox', { timeout: 60_000 }, () => {
  async function open(ground: Playground, argv: readonly string[], more: Partial<ProcessSpec> = {}) {
    let said = ''
    const exits: ProcessExit[] = []
    const spec = { argv, cwd: ground.path('workspace'), env, terminal: null, pipeStdin: true, ...more }
    const onOutput = (_: unknown, chunk: Buffer) => {
      said += chunk.toString()
    }
    const process: RunningProcess = host.spawnProcess(spec, {
      sandbox: await prepare(ground),
      onOutput,
      onExit: (exit) => exits.push(exit),
    })
    expect(await process.started).toBeNull()
    return { process, said: () => said, exits }
  }

  it('has a terminal of its own session, whose keys reach it alone', async () => {
    using ground = openPlayground()
    const script = `trap 'echo INT' INT; test -t 0 && test -t 2 && ps -o tty= -p $$; echo x > /dev/tty && read -r word; echo got $word`
    const { process, said, exits } = await open(ground, ['bash', '-c', script], { terminal: { rows: 24, cols: 80 } })
    await waitUntil(() => said().includes('x\r\n'))
    // Pressed until it is seen: a key right before bash begins to read waits for the end of the line.
    await waitUntil(() => {
      void process.write(Buffer.from('\x03'))
      return said().includes('INT')
    })
    await process.write(Buffer.from('word\n'))
    await process.closed
    expect(exits).toMatchObject([{ exitCode: 0 }])
    expect(said()).toContain('got word')
  })

  it('cannot type into its terminal', async () => {
    using ground = openPlayground()
    const script = ground.path('workspace/probe.pl')
    copyFileSync(fixturePath('probe.pl'), script)
    const { process, said } = await open(ground, ['perl', script, 'tiocsti'], {
      terminal: { rows: 24, cols: 80 },
    })
    await process.closed
    expect(said()).toContain('blocked')
    expect(said()).not.toContain('allowed')
  })

  it('has pipes, takes signals in its group, and sees its own name', async () => {
    using ground = openPlayground()
    const script = `trap 'echo USR1; exit 6' USR1; echo "$0"; read -r line; echo "$line"; while :; do sleep 0.05; done`
    const { process, said, exits } = await open(ground, ['bash', '-c', script], { arg0: 'other' })
    await process.write(Buffer.from('hello\n'))
    await waitUntil(() => said().includes('hello'))
    expect(process.signal('SIGUSR1')).toBe(true)
    await process.closed
    // The shell says on stderr what ended its child, before or after what the trap prints.
    const words = said().replace('User defined signal 1\n', '')
    expect(words).toBe('other\nhello\nUSR1\n')
    expect(exits).toMatchObject([{ exitCode: 6, triedNetwork: false }])
  })

  it('is killed with its whole tree', async () => {
    using ground = openPlayground()
    const name = `parley-${createMark()}`
    const script = `setsid env -i bash -c 'exec -a ${name} sleep 71' & echo ready; wait`
    const { process, said } = await open(ground, ['bash', '-c', script])
    await waitUntil(() => said().includes('ready') && pidsNamed(name).length === 1)
    process.kill()
    await process.closed
    await waitUntil(() => pidsNamed(name).length === 0)
    await waitUntil(() => process.pid !== null && !readdirSync('/proc').includes(String(process.pid)))
    expect(pidsNamed(name)).toEqual([])
  })
})

describe.skipIf(!hasBubblewrap)('a process with streams in its sandbox', { timeout: 60_000 }, () => {
  it('reads and writes its streams, and ends with its stdin', async () => {
    using ground = openPlayground()
    const sandbox = await prepare(ground)
    const script = 'while read -r line; do echo "got $line"; done; touch ../out/x 2>/dev/null || echo held >&2'
    const program = host.spawnStreams({ argv: ['bash', '-c', script], cwd: ground.path('workspace'), env, sandbox })
    if (program.stdout === null || program.stdin === null) throw new Error('It was not started')
    program.stdin.write('one\n')
    for await (const line of createInterface(program.stdout)) {
      expect(line).toBe('got one')
      break
    }
    expect(await program.stop(5000)).toMatchObject({ exitCode: 0, signal: null })
    expect(readdirSync(ground.path('workspace')).sort()).toEqual(['.git', 'file', 'src'])
  })

  it('is reported as not started when its sandbox breaks', async () => {
    using ground = openPlayground()
    writeFileSync(ground.path('bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const sandbox = await prepare(ground, {}, ground.path('bwrap'))
    const program = host.spawnStreams({ argv: ['cat'], cwd: '/', env, sandbox })
    expect(await program.ended).toMatchObject({ spawnError: { subject: 'sandbox' } })
  })
})
