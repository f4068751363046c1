import { describe, expect, it } from 'vitest'
import {
  type CloseReason,
  ConnectionClosedError,
  createMemoryTransportPair,
  createPeer,
  type Incoming,
  notificationLine,
  type Transport,
} from '../../src/index.ts'
import { createFarSide, request, turns, until } from '../support/remote-end.ts'

describe('a closing peer', () => {
  it('rejects what it waits for, aborts its handlers, answers for them, and only then is closed', async () => {
    const order: string[] = []
    const methods = {
      hang: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => order.push('aborted'))
        }),
    }
    const far = createFarSide({ methods })
    far.write(request(1, 'hang'))
    const asked = far.peer.request('a').catch((error: unknown) => {
      order.push('rejected')
      return error
    })
    void far.peer.closed.then(() => order.push('closed'))
    await far.received(1)
    await far.peer.close()
    expect(await asked).toBeInstanceOf(ConnectionClosedError)
    expect(order).toEqual(['aborted', 'rejected', 'closed'])
    expect((await far.received(2)).at(1)).toMatchObject({ id: 1, error: { data: { code: 'connectionClosed' } } })
    expect(await far.peer.closed).toEqual({ code: 'closed' })
  })

  it('closes once, however often it is told', async () => {
    const far = createFarSide()
    await Promise.all([far.peer.close(), far.peer.close()])
    await far.peer.close()
    far.peer.notify('ignored')
    far.peer.sendLine('{}')
    expect(far.peer.bufferedBytes).toBe(0)
  })

  it('starts no handler after it was closed, even if its transport yields more', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<CloseReason>()
    const line = (id: number): Incoming => ({ kind: 'message', value: JSON.parse(request(id, 'count')) })
    const close = async () => resolve({ code: 'closed' })
    const transport: Transport = {
      incoming: (async function* () {
        yield* [line(1), line(2), line(3)]
        return { code: 'ended' } as const
      })(),
      send: () => {},
      bufferedBytes: 0,
      drained: async () => {},
      close,
      closed,
      [Symbol.asyncDispose]: close,
    }
    let handled = 0
    const count = () => {
      handled += 1
      void peer.close()
    }
    const peer = createPeer({ transport, methods: { count } })
    await peer.closed
    await turns(2)
    expect(handled).toBe(1)
  })

  it('gives a signal that is already aborted to a handler that asks too late', async () => {
    const gate = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<boolean>()
    const far = createFarSide({
      methods: {
        late: async (_: unknown, context: { signal: AbortSignal }) => {
          gate.resolve()
          await far.peer.closed
          aborted.resolve(context.signal.aborted)
        },
      },
    })
    far.write(request(1, 'late'))
    await gate.promise
    await far.peer.close()
    expect(await aborted.promise).toBe(true)
  })
})

describe('a far side that ends', () => {
  it('still gets the answers to what it asked (F027)', async () => {
    const methods = {
      soon: async () => {
        await turns(3)
        return 'done'
      },
      obeys: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    }
    const far = createFarSide({ methods })
    far.input.end(`${request(1, 'soon')}${request(2, 'obeys')}{"torn`)
    expect(await far.received(2)).toMatchObject([
      { id: 2, error: { data: { code: 'connectionClosed' } } },
      { id: 1, result: 'done' },
    ])
    expect(await far.peer.closed).toEqual({ code: 'ended' })
    expect(far.peer.faultCounts.handlerFailed).toBe(0)
  })

  it('does not wait for a handler that never returns', async () => {
    const far = createFarSide({ methods: { hang: () => new Promise(() => {}) }, limits: { graceMs: 10 } })
    far.input.end(request(1, 'hang'))
    expect(await far.received(1)).toMatchObject([{ id: 1, error: { data: { code: 'connectionClosed' } } }])
    expect(await far.peer.closed).toEqual({ code: 'ended' })
  })
})

describe('a peer under load', () => {
  it('answers or sheds each of 3000 pipelined requests exactly once', async () => {
    const methods = {
      now: (params: unknown) => params,
      later: async (params: unknown) => {
        await turns(2)
        return params
      },
    }
    await using far = createFarSide({ methods })
    const ids = Array.from({ length: 3000 }, (_, id) => id)
    far.write(ids.map((id) => request(id, id % 2 === 0 ? 'now' : 'later', id)).join(''))
    const answers = await far.received(3000)
    await turns(5)
    expect(far.lines.length).toBe(3000)
    expect(answers.map((answer) => Reflect.get(Object(answer), 'id')).sort((a, b) => a - b)).toEqual(ids)
    for (const answer of answers) {
      const { id, result, error } = Object(answer)
      if (error === undefined) expect(result).toBe(id)
      else expect(error).toMatchObject({ code: -32001, data: { code: 'serverOverloaded' } })
    }
    expect(far.lines.filter((line) => line.includes('serverOverloaded')).length).toBe(3000 - 2 * 1024)
  })

  it('reads no further while its answers are not read, and loses nothing (F023)', async () => {
    let handled = 0
    let mostBuffered = 0
    const reply = 'x'.repeat(1000)
    const methods = {
      big: () => {
        handled += 1
        mostBuffered = Math.max(mostBuffered, far.peer.bufferedBytes)
        return reply
      },
    }
    await using far = createFarSide({ methods, stalled: true })
    far.write(Array.from({ length: 20_000 }, (_, id) => request(id, 'big')).join(''))
    await until(() => mostBuffered > 4 * 1024 * 1024 - 10_000)
    const atStall = handled
    await turns(50)
    expect(handled).toBe(atStall)
    far.readAll()
    expect((await far.received(20_000)).length).toBe(20_000)
    expect(mostBuffered).toBeLessThan(4 * 1024 * 1024 + 10_000)
  })

  it('does not deadlock when both ends send more than they buffer', async () => {
    const [here, there] = createMemoryTransportPair()
    const sizes = { left: 0, right: 0 }
    const count = (side: 'left' | 'right') => (params: unknown) => {
      sizes[side] += String(params).length
    }
    await using left = createPeer({ transport: here, methods: {}, notifications: { blob: count('left') } })
    await using right = createPeer({
      transport: there,
      methods: { echo: (p) => p },
      notifications: { blob: count('right') },
    })
    const blob = 'x'.repeat(1024 * 1024)
    for (let sent = 0; sent < 8; sent += 1) {
      left.notify('blob', blob)
      right.notify('blob', blob)
    }
    expect(await left.request('echo', 'through')).toBe('through')
    await until(() => sizes.left === 8 * blob.length && sizes.right === 8 * blob.length)
  })

  it('sends one serialisation to many', async () => {
    await using one = createFarSide()
    await using two = createFarSide()
    const line = notificationLine('event', JSON.stringify({ seq: 1 }))
    one.peer.sendLine(line)
    two.peer.sendLine(line)
    for (const far of [one, two]) {
      expect(await far.received(1)).toEqual([{ jsonrpc: '2.0', method: 'event', params: { seq: 1 } }])
    }
  })
})
