import { describe, expect, it } from 'vitest'
import { execPlace } from './support/in-process.ts'

const start = { processId: 'a', argv: ['true'], cwd: '/', env: {}, tty: false }

describe('the handshake of an exec-server', () => {
  it('rejects every request before initialize, whatever its parameters', async () => {
    await using place = execPlace()
    const client = place.connect()
    for (const method of ['process/start', 'process/read', 'fs/readFile', 'environment/info', 'command/exec']) {
      expect((await client.ask(method, null)).error).toEqual({
        code: -32600,
        message: 'client must call initialize before using exec methods',
        data: { code: 'notInitialized' },
      })
    }
  })

  it('rejects every request before initialized and starts nothing', async () => {
    await using place = execPlace()
    const client = place.connect()
    await client.ask('initialize', { clientName: 'test' })
    expect((await client.ask('process/start', start)).error).toMatchObject({
      code: -32600,
      message: 'client must send initialized before using exec methods',
    })
    client.notify('initialized')
    expect((await client.ask('process/start', start)).result).toEqual({ processId: 'a', sandboxType: 'none' })
  })

  it('is done once and returns version, session and environment', async () => {
    await using place = execPlace()
    const client = place.connect()
    expect((await client.ask('initialize', {})).error).toMatchObject({ code: -32602, data: { field: 'clientName' } })
    expect((await client.greet()).result).toMatchObject({
      protocolVersion: 'exec-server.v0',
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      environmentInfo: {
        cwd: expect.stringMatching(/^file:\/\/\//),
        capabilities: { sandbox: false, sessionResume: true },
      },
    })
    expect((await client.ask('initialize', { clientName: 'test' })).error).toMatchObject({
      code: -32600,
      message: 'initialize may only be sent once per connection',
    })
  })

  it('accepts a second initialized', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    client.notify('initialized')
    expect((await client.ask('environment/info')).result).toBeDefined()
  })

  it('takes messages without jsonrpc, as existing clients send them', async () => {
    await using place = execPlace()
    const client = place.connect()
    client.sendLine('{"id":"a","method":"initialize","params":{"clientName":"old"}}')
    client.sendLine('{"method":"initialized"}')
    expect((await client.ask('environment/info')).result).toMatchObject({ executorVersion: '0.0.0' })
    expect(client.messages[0]).toMatchObject({ id: 'a', result: { protocolVersion: 'exec-server.v0' } })
  })
})

it('a client without initialize is disconnected, one with it is not', async () => {
  await using place = execPlace({ initializeTimeoutMs: 50 })
  const greeted = await place.greeted()
  const silent = place.connect()
  await silent.closed()
  expect((await greeted.ask('environment/info')).result).toBeDefined()
})

it('names an unknown method, before the handshake and after it', async () => {
  await using place = execPlace()
  const client = place.connect()
  const error = { code: -32600, message: 'unknown method: no/such' }
  expect((await client.ask('no/such')).error).toMatchObject(error)
  expect((await client.greet()).result).toBeDefined()
  expect((await client.ask('no/such')).error).toMatchObject(error)
})

describe('a connection is closed by', () => {
  it.each([
    ['initialized before initialize', false, { method: 'initialized' }],
    ['another notification', true, { method: 'process/output', params: {} }],
    ['a result', true, { id: 1, result: {} }],
    ['an error', true, { id: 1, error: { code: 1, message: 'no' } }],
    ['an error for nobody', false, { id: null, error: { code: 1, message: 'no' } }],
  ])('%s', async (_, greeted, message) => {
    await using place = execPlace()
    const client = greeted ? await place.greeted() : place.connect()
    client.sendLine(JSON.stringify({ jsonrpc: '2.0', ...message }))
    expect(await client.closed()).toBe(true)
  })
})

describe('a connection lives on after', () => {
  it.each([
    ['text that is no JSON', '{oops', -32700],
    ['a batch', '[{"id":1,"method":"initialize"}]', -32600],
    ['a number', '7', -32600],
    ['an id that is none', '{"id":{},"method":"initialize"}', -32600],
    ['an unknown method', '{"id":5,"method":"no/such"}', -32600],
  ])('%s', async (_, line, code) => {
    await using place = execPlace()
    const client = place.connect()
    client.sendLine(line)
    expect((await client.greet()).result).toBeDefined()
    expect(client.messages[0]?.error?.code).toBe(code)
  })

  it('a line that is too long', async () => {
    await using place = execPlace()
    const client = place.connect()
    client.sendLine(JSON.stringify({ id: 1, method: 'x', params: 'y'.repeat(33 * 1024 * 1024) }))
    expect((await client.greet()).result).toBeDefined()
    expect(client.messages[0]).toMatchObject({ id: null, error: { code: -32700, data: { reason: 'tooLong' } } })
  })
})
