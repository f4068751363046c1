import { startModelServer } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { bytesInUse } from '../e2e/support/bytes-in-use.ts'
import { rawClient } from '../e2e/support/raw-client.ts'
import { processPlace } from '../e2e/support/spawned-server.ts'

const hello = { protocolVersion: { min: 2, max: 2 }, clientInfo: { name: 'raw', version: '1' } }
const megabyte = 1024 * 1024

/** Starts a server whose client has introduced itself. */
async function greetedServer() {
  await using started = new AsyncDisposableStack()
  const model = started.use(await startModelServer())
  const place = started.use(processPlace(model.url))
  const server = place.spawn()
  const client = rawClient(server)
  await client.ask('initialize', hello)
  const ends = started.move()
  return { server, client, [Symbol.asyncDispose]: () => ends.disposeAsync() }
}

describe('a server that gets bytes no client should send', { timeout: 60_000 }, () => {
  it('answers each with its error, lives, and serves what follows on the same connection', async () => {
    await using model = await startModelServer([{ text: 'ok' }])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const client = rawClient(server)
    const errors = () => client.lines.map((line) => JSON.parse(line)).filter(({ id, error }) => id === null && error)
    const refused = async (bytes: string | Buffer, code: number) => {
      const before = errors().length
      client.write(bytes)
      expect(await client.ask('server/diagnostics', {})).toMatchObject({ result: { home: expect.any(String) } })
      expect(
        errors()
          .slice(before)
          .map(({ error }) => error.code),
      ).toEqual([code])
    }
    const early = await client.ask('conversation/create', { cwd: place.cwd })
    expect(early.error).toMatchObject({ code: -32600, data: { code: 'notInitialized' } })
    expect(await client.ask('initialize', hello)).toMatchObject({ result: { protocolVersion: 2 } })
    expect((await client.ask('initialize', hello)).error).toMatchObject({ data: { code: 'alreadyInitialized' } })

    await refused(Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x0a]), -32700)
    await refused(`${'['.repeat(100_000)}\n`, -32700)
    await refused(`{"jsonrpc":"2.0","id":901,"id":902,"method":"server/diagnostics"}\n`, -32600)
    await refused('[{"jsonrpc":"2.0","id":903,"method":"server/diagnostics"}]\n', -32600)
    await refused('{"jsonrpc":"2.0","id":1e999,"method":"server/diagnostics"}\n', -32600)
    client.write('{"jsonrpc":"2.0","id":"no such question","result":{"__proto__":{"polluted":true}}}\n')
    expect((await client.ask('no/such/method', {})).error).toMatchObject({ code: -32601 })
    expect((await client.ask('conversation/create', { cwd: 7 })).error).toMatchObject({ code: -32602 })

    const question = Buffer.from('{"jsonrpc":"2.0","id":"ä","method":"server/diagnostics","params":{}}\n')
    const inCharacter = question.indexOf(0xc3) + 1
    client.write(question.subarray(0, inCharacter))
    expect(await server.join('meanwhile').then((other) => other.request('server/diagnostics', {}))).toBeDefined()
    client.write(question.subarray(inCharacter))
    expect(await client.answer('ä')).toMatchObject({ result: { home: expect.any(String) } })
  })

  it('keeps nothing of a line without an end, and takes the next one', async () => {
    await using greeted = await greetedServer()
    const { server, client } = greeted
    const before = await bytesInUse(server)
    const chunk = Buffer.alloc(megabyte, 'x')
    for (let sent = 0; sent < 128; sent++) {
      if (client.write(chunk) === false) await new Promise((resolve) => server.child.stdin?.once('drain', resolve))
    }
    client.write('\n')
    expect(await client.ask('server/diagnostics', {})).toMatchObject({ result: { home: expect.any(String) } })
    const told = client.lines.map((line) => JSON.parse(line)).filter(({ error }) => error)
    expect(told).toMatchObject([{ id: null, error: { code: -32700 } }])
    expect((await bytesInUse(server)) - before).toBeLessThan(16 * megabyte)
  })

  it('counts half a line before the end as nothing, and leaves', async () => {
    await using greeted = await greetedServer()
    const { server, client } = greeted
    server.child.stdin?.end('{"jsonrpc":"2.0","id":77,"method":"conversation/cre')
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(client.lines.filter((line) => JSON.parse(line).id === 77)).toEqual([])
  })
})
