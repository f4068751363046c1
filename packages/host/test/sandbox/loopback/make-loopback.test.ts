import { readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { text as consumed } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandSpec, createMark, openHost, type RunningCommand } from '../../../src/index.ts'
import { prepareBubblewrap } from '../../../src/sandbox/bubblewrap/prepare-bubblewrap.ts'
import { makeLoopback } from '../../../src/sandbox/loopback/make-loopback.ts'
import type { Loopback, SandboxLimits } from '../../../src/sandbox/sandbox.ts'
import { listPids } from '../../../src/system/process-table.ts'
import { findProgram, programFolders } from '../../../src/system/programs.ts'
import { waitUntil } from '../../waiting.ts'
import { hasBubblewrap, machine, whyNot } from '../bubblewrap/bubblewrap-here.ts'
import { openPlayground, type Playground } from '../playground.ts'

const nsenter = findProgram('nsenter', programFolders(''))?.path ?? null
// Commands see another /tmp, so a Node below it is not there for them.
const hidesNode = process.execPath.startsWith('/tmp/')
const hasLoopback = hasBubblewrap && nsenter !== null
const host = openHost()
beforeAll(() => host.warmUp())
afterAll(() => host.close())

interface Place {
  readonly ground: Playground
  readonly loopback: Loopback
}

async function openLoopback(): Promise<Loopback & Disposable> {
  const loopback = await makeLoopback('/usr/bin/bwrap', nsenter ?? '')
  return { ...loopback, [Symbol.dispose]: () => loopback.close() }
}

async function start(
  { ground, loopback }: Place,
  argv: readonly string[],
  { input, ...limits }: Partial<SandboxLimits> & Pick<CommandSpec, 'input'> = {},
): Promise<RunningCommand> {
  const sandbox = await prepareBubblewrap(ground.limits(limits), machine(ground.path('home')), loopback)
  const env = { PATH: '/usr/bin:/bin' }
  const spec = { argv, cwd: ground.path('workspace'), env, mark: createMark() }
  return host.runCommand({ ...spec, ...(input === undefined ? {} : { input }) }, { sandbox })
}

const text = (output: { head: Buffer; tail: Buffer }) => Buffer.concat([output.head, output.tail]).toString()

async function said(place: Place, argv: readonly string[], more: Partial<SandboxLimits> = {}): Promise<string> {
  return text(await (await start(place, argv, more)).ended).trim()
}

/** Returns the namespace of the loopback, as the system names it. */
function spaceOf(loopback: Loopback): string {
  const option = loopback.entrance().find((word) => word.startsWith('--net='))
  return readlinkSync(option?.slice('--net='.length) ?? '')
}

function isIn(space: string, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) === space
  } catch {
    return false // It ended meanwhile, or is of the system.
  }
}

const shell = (script: string) => ['/bin/sh', '-c', script]
const node = (script: string, ...args: readonly string[]) => [process.execPath, '-e', script, ...args]
/** Prints its port, then what the first caller says. */
const listen = `require('net').createServer((caller) => caller.on('data', (said) => caller.end('heard ' + said)))
  .listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })`
const call = `const caller = require('net').connect(Number(process.argv[1]), '127.0.0.1', () => caller.write('hello'))
caller.on('data', (said) => console.log(String(said))).on('error', ({ code }) => console.log(code))`

async function portOf(running: RunningCommand): Promise<string> {
  await waitUntil(() => /port \d+\n/.test(text(running.output())))
  return /port (\d+)/.exec(text(running.output()))?.[1] ?? ''
}

describe.skipIf(!hasLoopback)(`a loopback that commands share${whyNot}`, { timeout: 60_000 }, () => {
  it.skipIf(hidesNode)('lets one command reach the server of another, and nobody else', async () => {
    using ground = openPlayground()
    using loopback = await openLoopback()
    using other = await openLoopback()
    const server = await start({ ground, loopback }, node(listen))
    const port = await portOf(server)
    expect(await said({ ground, loopback }, node(call, port))).toBe('heard hello')
    expect(await said({ ground, loopback: other }, node(call, port))).toBe('ECONNREFUSED')
    expect(await said({ ground, loopback }, node(call, port), { network: true })).toBe('ECONNREFUSED')
    server.stop('interrupted')
    await server.ended
  })

  it.skipIf(hidesNode)('does not lead to the loopback of the machine', async () => {
    using ground = openPlayground()
    using loopback = await openLoopback()
    let isReached = false
    const listener = createServer(() => {
      isReached = true
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const address = listener.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    expect(await said({ ground, loopback }, node(call, port))).toBe('ECONNREFUSED')
    await expect(loopback.connect(Number(port))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(isReached).toBe(false)
    listener.close()
  })

  it('gives a command no rights over it, no descriptor of it and no view of its neighbours', async () => {
    using ground = openPlayground()
    using loopback = await openLoopback()
    const neighbour = await start({ ground, loopback }, shell('echo up; sleep 613'))
    await waitUntil(() => text(neighbour.output()).includes('up'))
    const look = `grep -h '^Cap...:' /proc/self/status | cut -f2 | sort -u; grep -la '[s]leep.613' /proc/[0-9]*/cmdline
      for fd in /proc/self/fd/*; do case $(readlink $fd) in net:*|user:*) echo open $fd;; esac; done
      readlink /proc/self/ns/net`
    const [caps, ...more] = (await said({ ground, loopback }, shell(look))).split('\n')
    expect(caps).toBe('0000000000000000')
    expect(more).toEqual([spaceOf(loopback)])
    neighbour.stop('interrupted')
    await neighbour.ended
  })

  it.skipIf(hidesNode)('counts for each command only what was sent while it ran', async () => {
    using ground = openPlayground()
    using loopback = await openLoopback()
    const tried = async (script: string) => (await (await start({ ground, loopback }, node(script))).ended).triedNetwork
    expect(await tried(`require('net').connect(80, '192.0.2.1').on('error', () => {})`)).toBe(true)
    expect(await tried('')).toBe(false)
    expect(await tried(`require('net').connect(9, '127.0.0.1').on('error', () => {})`)).toBe(false)
  })

  it.skipIf(hidesNode)(
    'is connected to from outside, to either address, and the ends of both sides are passed on',
    async () => {
      using ground = openPlayground()
      using loopback = await openLoopback()
      await expect(loopback.connect(9)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      // It speaks first, which a process on the way must not take.
      const greet = `require('net').createServer({ allowHalfOpen: true }, (caller) => {
      let bytes = 0
      caller.write('hello ')
      caller.on('data', (chunk) => (bytes += chunk.length)).on('end', () => caller.end(String(bytes)))
    }).listen(0, '::1', function () { console.log('port', this.address().port) })`
      const server = await start({ ground, loopback }, node(greet))
      const socket = await loopback.connect(Number(await portOf(server)))
      socket.end(Buffer.alloc(3_000_000))
      expect(await consumed(socket)).toBe('hello 3000000')
      loopback.close()
      await expect(loopback.connect(9)).rejects.toThrow('closed')
      server.stop('interrupted')
      await server.ended
    },
  )

  it('has no process, and takes no command after its end', async () => {
    using ground = openPlayground()
    using loopback = await openLoopback()
    const space = spaceOf(loopback)
    expect(space).toMatch(/^net:/)
    await waitUntil(() => !listPids().some((pid) => isIn(space, pid)))
    loopback.close()
    const end = await (await start({ ground, loopback }, shell('echo ran'))).ended
    expect(end).toMatchObject({ reason: 'spawnFailed', spawnError: { subject: 'sandbox' } })
    expect(text(end)).not.toContain('ran')
  })

  it('is not made by a bwrap that makes no namespaces', async () => {
    using ground = openPlayground()
    const bare = `#!/bin/sh\necho "{ \\"child-pid\\": $$ }" >&3\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n`
    writeFileSync(ground.path('bwrap'), bare, { mode: 0o755 })
    const made = makeLoopback(ground.path('bwrap'), nsenter ?? '')
    await expect(made).rejects.toThrow('made no namespaces')
    writeFileSync(ground.path('bwrap'), '#!/bin/sh\necho no such luck >&2\nexit 1\n', { mode: 0o755 })
    await expect(makeLoopback(ground.path('bwrap'), nsenter ?? '')).rejects.toThrow('luck')
  })
})
