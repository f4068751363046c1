import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  createMemoryTransportPair,
  createStreamTransport,
  type Incoming,
  type StreamLimits,
  type Transport,
} from '../../src/index.ts'
import { turns, until } from '../support/remote-end.ts'

function connect(limits: Partial<StreamLimits> = {}) {
  const input = new PassThrough()
  const output = new PassThrough()
  return { input, output, transport: createStreamTransport({ graceMs: 100, ...limits, input, output }) }
}

async function pullAll(transport: Transport): Promise<Incoming[]> {
  const all: Incoming[] = []
  for await (const incoming of transport.incoming) all.push(incoming)
  return all
}

describe('stream transport', () => {
  it('yields one message per complete line and ends with its input', async () => {
    const { input, transport } = connect()
    input.end('{"a":1}\n\n[2]\nno json\n{"torn":')
    expect(await pullAll(transport)).toEqual([
      { kind: 'message', value: { a: 1 } },
      { kind: 'message', value: [2] },
      { kind: 'unreadable', reason: 'notJson' },
    ])
    await transport.close()
    expect(await transport.closed).toEqual({ code: 'ended' })
  })

  it('keeps reading after an endless line, bad bytes, deep nesting and too many values', async () => {
    const { input, transport } = connect({ maxLineBytes: 2000, maxDepth: 10, maxValues: 100 })
    input.write('x'.repeat(5000))
    input.write(`y\n${'['.repeat(1999)}\n[${'{},'.repeat(100)}0]\n`)
    input.write(Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x0a]))
    input.end('"alive"\n')
    expect(await pullAll(transport)).toEqual([
      { kind: 'unreadable', reason: 'tooLong' },
      { kind: 'unreadable', reason: 'tooDeep' },
      { kind: 'unreadable', reason: 'tooManyValues' },
      { kind: 'unreadable', reason: 'notUtf8' },
      { kind: 'message', value: 'alive' },
    ])
    await transport.close()
  })

  it('reads no further ahead of its owner than streams buffer', async () => {
    let produced = 0
    const { input, transport } = connect()
    const endless = (function* () {
      for (;;) {
        produced += 1
        yield `${produced}\n`
      }
    })()
    const feed = () => {
      while (input.write(endless.next().value)) if (input.destroyed) return
    }
    input.on('drain', feed)
    feed()
    await transport.incoming[Symbol.asyncIterator]().next()
    await turns(50)
    expect(produced).toBeLessThan(50_000)
    await transport.close()
  })

  it('flushes sent lines before it closes, and ignores later ones', async () => {
    const { output, transport } = connect()
    transport.send('1')
    transport.send('2')
    const closing = transport.close()
    transport.send('3')
    const chunks = await output.setEncoding('utf8').toArray()
    await closing
    expect(chunks.join('')).toBe('1\n2\n')
    expect(await transport.closed).toEqual({ code: 'closed' })
  })

  it('ends a pending pull when it closes', async () => {
    const { transport } = connect()
    const pulled = pullAll(transport)
    await transport.close()
    expect(await pulled).toEqual([])
  })

  it('closes although the remote end never reads', async () => {
    const input = new PassThrough()
    const output = new Writable({ write() {} })
    const transport = createStreamTransport({ input, output, graceMs: 10 })
    transport.send('never taken')
    await transport.close()
    expect(transport.bufferedBytes).toBe(0)
    expect(await transport.closed).toEqual({ code: 'closed' })
  })

  it('treats a broken pipe as the end of the connection, not as a failure', async () => {
    for (const code of ['EPIPE', 'ECONNRESET']) {
      const { output, transport } = connect({ graceMs: 10 })
      const pulled = pullAll(transport)
      output.destroy(Object.assign(new Error('write'), { code }))
      expect(await pulled).toEqual([])
      transport.send('to nobody')
      expect(transport.bufferedBytes).toBe(0)
      await transport.close()
      expect(await transport.closed).toEqual({ code: 'ended', detail: code })
    }
  })

  it('still reads the last lines of a remote end that no longer reads', async () => {
    const { input, output, transport } = connect({ graceMs: 10_000 })
    output.destroy()
    await turns(2)
    input.end('"last words"\n')
    expect(await pullAll(transport)).toEqual([{ kind: 'message', value: 'last words' }])
    await transport.close()
  })

  it('reports the error code of a broken channel', async () => {
    const { input, transport } = connect()
    const pulled = pullAll(transport)
    input.destroy(Object.assign(new Error('read'), { code: 'EIO' }))
    await pulled
    await transport.close()
    expect(await transport.closed).toEqual({ code: 'broken', detail: 'EIO' })
  })

  it('survives failures of its streams after it closed', async () => {
    const { input, output, transport } = connect()
    await transport.close()
    input.emit('error', new Error('late'))
    output.emit('error', new Error('late'))
    expect(await transport.closed).toEqual({ code: 'closed' })
  })

  it('resolves drained when it closes', async () => {
    const { transport } = connect({ graceMs: 10 })
    transport.send('x'.repeat(3 * 1024 * 1024))
    const drained = transport.drained()
    await until(() => transport.bufferedBytes > 0)
    await transport.close()
    await expect(drained).resolves.toBeUndefined()
  })

  it('reads a stream that yields strings', async () => {
    const { input, transport } = connect()
    input.setEncoding('utf8')
    input.end('"é"\n')
    expect(await pullAll(transport)).toEqual([{ kind: 'message', value: 'é' }])
    await transport.close()
  })
})

it('a memory pair delivers in order, asynchronously, and closes both ends', async () => {
  const [here, there] = createMemoryTransportPair()
  const received: unknown[] = []
  const reading = (async () => {
    for await (const incoming of there.incoming) received.push(incoming)
    await there.close()
  })()
  for (let count = 0; count < 1000; count += 1) here.send(String(count))
  expect(received).toEqual([])
  await here.close()
  await reading
  expect(received).toEqual(Array.from({ length: 1000 }, (_, value) => ({ kind: 'message', value })))
  expect([await here.closed, await there.closed]).toEqual([{ code: 'closed' }, { code: 'ended' }])
})
