import { cliPath, commandOf, descendantsWithMark, isAlive, markVariable, newMark, tempHome } from '@parley/testkit'
import { describe, expect, test, vi } from 'vitest'
import { type Client, connectClient } from '../../src/connection/client.ts'
import { connect, type SpawnedServer, spawnServer } from '../../src/index.ts'
import { leaveServer } from '../../src/server/leave-server.ts'
import { libraryWorld } from '../library/library-world.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

const limitMs = 500
const killed = (pid: number | undefined) => `The server (process ${pid}) did not end within 0.5 s, so it was killed`

/** Answers the handshake and what servers are asked before their clients leave. */
const greeting = `
process.on('SIGTERM', () => {})
const answers = { initialize: { protocolVersion: 2, serverInfo: {}, clientId: 'c', home: '/', capabilities: [] },
  'server/diagnostics': { addresses: [], clients: [], conversations: [] } }
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }))
  if (method === 'initialized') AFTER
})`

interface Started extends AsyncDisposable {
  readonly server: SpawnedServer
  readonly client: Client
  readonly mark: string
}

/** A server of these words, greeted. */
async function started(script: string, wrapper: readonly string[] = []): Promise<Started> {
  const home = await tempHome()
  const mark = newMark()
  const [program, ...args] = [...wrapper, process.execPath, '-e', script]
  const env = { ...process.env, ...home.env, [markVariable]: mark }
  const server = spawnServer({ command: [program ?? '', ...args], env, home: home.env.PARLEY_HOME })
  const clientInfo = { name: 'test', version: '0' }
  const client = await connectClient({ transport: server.transport, clientInfo, canApprove: false })
  return { server, client, mark, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() }
}

const staying = greeting.replace('AFTER', 'setInterval(() => {}, 1000)')

describe('a server that does not end when its client leaves is killed, and that is said:', () => {
  test.each<[string, string, readonly string[]]>([
    ['it has something that never ends', staying, []],
    ['it is busy for ever', greeting.replace('AFTER', 'for (;;) {}'), []],
    ['it was started by another program', staying, ['/bin/sh', '-c', '"$@"; true', 'sh']],
  ])('%s', async (_name, script, wrapper) => {
    await using it = await started(script, wrapper)
    const { server, client, mark } = it
    const said = await leaveServer(server, { client, close: () => client.close(), limitMs })
    expect(said?.message).toContain(killed(server.pid))
    await expect.poll(() => descendantsWithMark(mark).map(commandOf)).toEqual([])
  })

  test('it was stopped', async () => {
    await using it = await started(staying)
    const { server, client, mark } = it
    process.kill(server.pid ?? 0, 'SIGSTOP')
    const said = await leaveServer(server, { client, close: () => client.close(), limitMs: 50_000 })
    expect(said?.message).toContain(`The server (process ${server.pid}) did not answer for 2.5 s, so it was killed`)
    expect(descendantsWithMark(mark)).toEqual([])
  })
})

describe('a server that answers keeps its time, though', () => {
  const exit = '() => process.exit(74)'
  const answer = `() => console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }))`
  const answersLate = `if (method === 'server/diagnostics') setTimeout(${answer}, 3500)\n  else if (id !==`
  const endsAtOnce = greeting.replace('AFTER', `process.stdin.on('end', ${exit})`)
  test.each<[string, string]>([
    ['it says late who is connected', endsAtOnce.replace('if (id !==', answersLate)],
    ['it saves for long', greeting.replace('AFTER', `process.stdin.on('end', () => setTimeout(${exit}, 3500))`)],
  ])('%s', async (_name, script) => {
    await using it = await started(script)
    const { server, client } = it
    const said = await leaveServer(server, { client, close: () => client.close(), limitMs: 50_000 })
    expect(said).toMatchObject({ code: 'storageFailed' })
    expect(await server.exited).toEqual({ code: 74, signal: null })
  })
})

test('a server that ends by itself is not killed, and nothing is said', async () => {
  await using it = await started(greeting.replace('AFTER', 'process.stdin.resume()'))
  const { server, client } = it
  expect(await leaveServer(server, { client, close: () => client.close(), limitMs: 20_000 })).toBeNull()
  expect(await server.exited).toEqual({ code: 0, signal: null })
})

test('a server that somebody has joined since is left to them', async () => {
  await using world = await libraryWorld({ text: 'Still here.' })
  const server = spawnServer({ command: [process.execPath, cliPath, 'server'], env: world.env, home: world.home })
  const clientInfo = { name: 'owner', version: '0' }
  const client = await connectClient({ transport: server.transport, clientInfo, canApprove: false })
  const { addresses } = await client.request('server/diagnostics', {})
  const late = Promise.withResolvers<Awaited<ReturnType<typeof connect>>>()
  const close = async () => {
    // It comes when we have been told that nobody else is there.
    late.resolve(await connect({ socket: addresses[0] ?? '' }))
    await client.close()
  }
  expect(await leaveServer(server, { client, close, limitMs })).toBeNull()
  expect(isAlive(server.pid ?? 0)).toBe(true)
  const parley = await late.promise
  const conversation = await parley.create({ cwd: world.cwd })
  expect(await (await conversation.send('hello')).result).toMatchObject({ text: 'Still here.' })
  await parley.close()
  await server.exited
})

test('a server that was started before the connection is not waited for by a detach', async () => {
  await using world = await libraryWorld()
  const server = spawnServer({ command: [process.execPath, cliPath, 'server'], env: world.env, home: world.home })
  const parley = await connect({ server }, { name: 'early', title: 'Early bird' })
  const { clients } = await parley.request('server/diagnostics', {})
  expect(clients).toMatchObject([{ name: 'early', title: 'Early bird' }])
  const conversation = await parley.create({ cwd: world.cwd })
  expect(conversation.isOpen).toBe(true)
  await parley.detach()
  expect(conversation.isOpen).toBe(false)
  await server.exited
})

test('a server that could not save all it had accepted is reported', async () => {
  await using it = await started(greeting.replace('AFTER', "process.stdin.on('end', () => process.exit(74))"))
  const { server, client } = it
  const said = await leaveServer(server, { client, close: () => client.close(), limitMs: 20_000 })
  expect(said).toMatchObject({ code: 'storageFailed', message: expect.stringContaining('could be saved') })
})
