import { describe, expect, it } from 'vitest'
import { createPeer, type Incoming, RpcError, type Transport } from '../../src/index.ts'
import { connectedPairs } from '../support/connected-pairs.ts'
import { turns, until } from '../support/remote-end.ts'

async function pull(transport: Transport, count: number): Promise<Incoming[]> {
  const lines = transport.incoming[Symbol.asyncIterator]()
  const pulled: Incoming[] = []
  while (pulled.length < count) {
    const step = await lines.next()
    if (step.done === true) break
    pulled.push(step.value)
  }
  return pulled
}

async function pullToEnd(transport: Transport) {
  const lines = transport.incoming[Symbol.asyncIterator]()
  for (;;) {
    const step = await lines.next()
    if (step.done === true) return step.value
  }
}

const mebibyte = 1024 * 1024

describe.each(Object.entries(connectedPairs))('a %s transport', (_, connect) => {
  it('carries complete messages in order, both ways', async () => {
    await using pair = await connect()
    const big = 'é\u2028😀'.repeat(mebibyte / 4)
    for (let count = 0; count < 1000; count += 1) pair.here.send(String(count))
    pair.here.send(JSON.stringify(big))
    pair.there.send('"back"')
    const arrived = await pull(pair.there, 1001)
    const numbers = Array.from({ length: 1000 }, (_value, value) => ({ kind: 'message', value }))
    expect(arrived).toEqual([...numbers, { kind: 'message', value: big }])
    expect(await pull(pair.here, 1)).toEqual([{ kind: 'message', value: 'back' }])
  })

  it('flushes sent lines before it closes, ignores later ones, and ends the remote end', async () => {
    await using pair = await connect()
    const received: unknown[] = []
    const reading = (async () => {
      for await (const incoming of pair.there.incoming) received.push(incoming)
      await pair.there.close()
    })()
    for (let count = 0; count < 100; count += 1) pair.here.send(String(count))
    const closing = pair.here.close()
    pair.here.send('"late"')
    await closing
    await reading
    expect(received).toHaveLength(100)
    expect([await pair.here.closed, await pair.there.closed]).toEqual([{ code: 'closed' }, { code: 'ended' }])
  })

  it('reads nothing until its owner pulls, then everything', async () => {
    await using pair = await connect()
    const line = JSON.stringify('x'.repeat(mebibyte))
    for (let count = 0; count < 32; count += 1) pair.here.send(line)
    await turns(500)
    const unsent = pair.here.bufferedBytes
    expect(unsent).toBeGreaterThan(16 * mebibyte)
    const drained = pair.here.drained()
    expect(await pull(pair.there, 32)).toHaveLength(32)
    await drained
    expect(pair.here.bufferedBytes).toBeLessThanOrEqual(mebibyte)
  })

  it('closes although the remote end never reads, and resolves drained', async () => {
    await using pair = await connect()
    const line = JSON.stringify('x'.repeat(mebibyte))
    for (let count = 0; count < 32; count += 1) pair.here.send(line)
    const drained = pair.here.drained()
    await pair.here.close()
    await drained
    expect(pair.here.bufferedBytes).toBe(0)
    expect(await pair.here.closed).toEqual({ code: 'closed' })
  })

  it('ends a pending pull when it closes', async () => {
    await using pair = await connect()
    const pulled = pullToEnd(pair.here)
    await pair.here.close()
    expect(await pulled).toEqual({ code: 'closed' })
  })

  it('rejects text with line feeds, and keeps reading after invalid JSON', async () => {
    await using pair = await connect()
    expect(() => pair.here.send('{\n}')).toThrow('line feed')
    pair.here.send('no json')
    pair.here.send('['.repeat(600))
    pair.here.send('"alive"')
    expect(await pull(pair.there, 3)).toEqual([
      { kind: 'unreadable', reason: 'notJson' },
      { kind: 'unreadable', reason: 'tooDeep' },
      { kind: 'message', value: 'alive' },
    ])
  })

  it('replies once to each of 3,000 pipelined requests, with overload errors above the limit', async () => {
    await using pair = await connect()
    const held: (() => void)[] = []
    const hold = () => new Promise((resolve) => held.push(() => resolve('done')))
    await using server = createPeer({ transport: pair.there, methods: { hold } })
    await using client = createPeer({ transport: pair.here, methods: {} })
    const asked = Array.from({ length: 3000 }, () => client.request('hold').catch((error: unknown) => error))
    await until(() => held.length === 1024)
    for (const release of held) release()
    const answers = await Promise.all(asked)
    const refused = answers.filter((answer) => answer instanceof RpcError && answer.data?.code === 'serverOverloaded')
    expect([answers.length, refused.length, answers.filter((answer) => answer === 'done').length]).toEqual([
      3000, 1976, 1024,
    ])
    expect(server.faultCounts).toMatchObject({ unreadable: 0, unknownReply: 0 })
  })
})
