import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, type TestServer, testPlace } from '../../engine/support/test-server.ts'
import { type AppClient, type AppClientOptions, appClient } from './app-client.ts'

interface Opened extends AsyncDisposable {
  readonly client: AppClient
  readonly server: TestServer
  readonly prepared: ReturnType<typeof fakeSandboxes>['prepared']
  run(command: readonly string[], more?: object): ReturnType<AppClient['ask']>
}

async function open(place: TestPlace, ports: Parameters<TestPlace['start']>[0] = {}, options: AppClientOptions = {}) {
  const { sandboxes, prepared } = fakeSandboxes()
  const server = place.start({ sandboxes, ...ports })
  const client = appClient(server, options)
  await client.initialize()
  const run: Opened['run'] = (command, more) => client.ask('command/exec', { command, cwd: place.cwd, ...more })
  return { client, server, prepared, run, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
}

const base64 = (said: string) => Buffer.from(said).toString('base64')

function streamed({ received }: AppClient, stream: string): string {
  return received
    .filter(({ method }) => method === 'command/exec/outputDelta')
    .map(({ params }) => params as { stream: string; deltaBase64: string })
    .filter((delta) => delta.stream === stream)
    .map(({ deltaBase64 }) => Buffer.from(deltaBase64, 'base64').toString())
    .join('')
}

describe('a command of a client', () => {
  it('runs under the limits of the configuration and answers with code and output', async () => {
    await using place = testPlace()
    await using opened = await open(place)
    const { run, prepared } = opened
    const { result } = await run(['sh', '-c', 'echo out; echo err >&2; echo $GIVEN; exit 3'], { env: { GIVEN: 'x' } })
    expect(result).toEqual({ exitCode: 3, stdout: 'out\nx\n', stderr: 'err\n' })
    expect(prepared).toMatchObject([{ mode: 'workspace-write', writableRoots: [place.cwd], network: false }])
    await run(['true'], { sandboxPolicy: { type: 'readOnly' } })
    expect(prepared[1]).toMatchObject({ mode: 'read-only' })
  })

  it('is refused where policy would deny it or ask, and nothing of it runs', async () => {
    await using place = testPlace()
    writeFileSync(
      join(place.root, '.parley', 'policy.toml'),
      '[[rule]]\ncommand = ["git", "push"]\ndecision = "deny"\nreason = "not from here"\n',
    )
    await using opened = await open(place)
    const { run } = opened
    expect((await run(['git', 'push']))['error']).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/^command\/exec: policy denies it: not from here \(.*policy\.toml:/),
    })
    await using unsandboxed = await open(place, { sandboxes: fakeSandboxes('none').sandboxes })
    expect((await unsandboxed.run(['touch', 'made']))['error']).toMatchObject({
      message: expect.stringContaining('policy asks about it, which only a thread can'),
    })
    expect(existsSync(join(place.cwd, 'made'))).toBe(false)
    expect((await unsandboxed.run(['pwd']))['result']).toMatchObject({ stdout: `${place.cwd}\n` })
    const preload = await unsandboxed.run(['pwd'], { env: { LD_PRELOAD: join(place.cwd, 'x.so') } })
    expect(preload['error']).toMatchObject({ message: expect.stringContaining('policy asks about it') })
  })

  it('gets no more than the ceiling of the server, and no folder of secrets', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, '.ssh'))
    writeFileSync(join(place.root, '.ssh', 'id'), 'x')
    await using opened = await open(place)
    const { run, prepared } = opened
    for (const more of [
      { sandboxPolicy: { type: 'dangerFullAccess' } },
      { sandboxPolicy: { type: 'workspaceWrite', networkAccess: true } },
      { sandboxPolicy: { type: 'workspaceWrite', writableRoots: [join(place.root, '.ssh')] } },
      { cwd: join(place.root, '.ssh') },
      { cwd: join(place.root, 'missing') },
      { permissionProfile: 'x' },
    ])
      expect((await run(['true'], more))['error'], JSON.stringify(more)).toMatchObject({ code: -32600 })
    expect(prepared).toEqual([])
    const ceiling = { maxSandbox: 'danger-full-access', allowNever: false, profile: null } as const
    await using free = await open(place, { ceiling })
    const full = await free.run(['true'], { sandboxPolicy: { type: 'dangerFullAccess' } })
    expect(full['result']).toMatchObject({ exitCode: 0 })
    expect(free.prepared).toEqual([])
  })

  it('streams, takes input and ends with it', async () => {
    await using place = testPlace()
    await using opened = await open(place)
    const { client, run } = opened
    const ended = run(['cat'], { processId: 'p', streamStdin: true, streamStdoutStderr: true })
    expect((await run(['true'], { processId: 'p' }))['error']).toMatchObject({
      message: 'duplicate active command/exec process id: "p"',
    })
    await client.result('command/exec/write', { processId: 'p', deltaBase64: base64('one\n') })
    expect((await client.ask('command/exec/write', { processId: 'p', deltaBase64: '?' }))['error']).toMatchObject({
      code: -32602,
    })
    await client.result('command/exec/write', { processId: 'p', deltaBase64: base64('two\n'), closeStdin: true })
    expect(await ended).toMatchObject({ result: { exitCode: 0, stdout: '', stderr: '' } })
    expect(streamed(client, 'stdout')).toBe('one\ntwo\n')
    expect((await client.ask('command/exec/terminate', { processId: 'p' }))['error']).toMatchObject({
      message: 'no active command/exec for process id "p"',
    })
  })

  it('has a terminal of the given size, and is terminated', async () => {
    await using place = testPlace()
    await using opened = await open(place)
    const { client, run } = opened
    const ended = run(['sh', '-c', 'stty size; read line; stty size; exec cat'], {
      processId: 't',
      tty: true,
      size: { rows: 33, cols: 44 },
      disableTimeout: true,
    })
    await client.until(() => streamed(client, 'stdout').includes('33 44'))
    await client.result('command/exec/resize', { processId: 't', size: { rows: 5, cols: 6 } })
    await client.result('command/exec/write', { processId: 't', deltaBase64: base64('\n') })
    await client.until(() => streamed(client, 'stdout').includes('5 6'))
    await client.result('command/exec/terminate', { processId: 't' })
    expect(await ended).toMatchObject({ result: { exitCode: 137, stdout: '' } })
  })

  it('is cut at its cap and stopped at its time limit', async () => {
    await using place = testPlace()
    await using opened = await open(place)
    const { client, run } = opened
    expect((await run(['echo', '1234567890'], { outputBytesCap: 4 }))['result']).toMatchObject({ stdout: '1234' })
    await run(['printf', '123456789'], { outputBytesCap: 4, processId: 'c', streamStdoutStderr: true })
    expect(streamed(client, 'stdout')).toBe('1234')
    expect(JSON.stringify(client.received)).toContain('"capReached":true')
    expect((await run(['sh', '-c', 'echo out; sleep 60'], { timeoutMs: 300 }))['result']).toMatchObject({
      exitCode: 124,
    })
    for (const [more, code] of [
      [{ timeoutMs: -1 }, -32602],
      [{ timeoutMs: 1, disableTimeout: true }, -32602],
      [{ outputBytesCap: 1, disableOutputCap: true }, -32602],
      [{ size: { rows: 1, cols: 1 } }, -32602],
      [{ size: { rows: 65_536, cols: 1 }, tty: true, processId: 's' }, -32600],
      [{ tty: true }, -32600],
      [{ streamStdin: true }, -32600],
    ] as const)
      expect((await run(['true'], more))['error'], JSON.stringify(more)).toMatchObject({ code })
    expect((await run([]))['error']).toMatchObject({ message: 'command must not be empty' })
    expect((await run(['no-such-program-here']))['error']).toMatchObject({ code: -32603 })
  })

  it('ends with its client', async () => {
    await using place = testPlace()
    const opened = await open(place)
    const { client, run } = opened
    const ended = run(['sh', '-c', 'echo $$; exec sleep 60'], {
      processId: 'p',
      streamStdoutStderr: true,
      disableTimeout: true,
    })
    ended.catch(() => undefined)
    await client.until(() => streamed(client, 'stdout').endsWith('\n'))
    const pid = Number(streamed(client, 'stdout'))
    expect(process.kill(pid, 0)).toBe(true)
    await opened[Symbol.asyncDispose]()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
