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
import { createRemoteEnd, request, turns, until } from '../support/remote-end.ts'

describe('a closing peer', () => {
  it('rejects its requests, aborts its handlers, replies for them, and only then is closed', async () => {
    const order: string[] = []
    const methods = {
      hang: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => order.push('aborted'))
        }),
    }
    const remote = createRemoteEnd({ methods })
    remote.write(request(1, 'hang'))
    const asked = remote.peer.request('a').catch((error: unknown) => {
      order.push('rejected')
      return error
    })
    void remote.peer.closed.then(() => order.push('closed'))
    await remote.received(1)
    await remote.peer.close()
    expect(await asked).toBeInstanceOf(ConnectionClosedError)
    expect(order).toEqual(['aborted', 'rejected', 'closed'])
    expect((await remote.received(2)).at(1)).toMatchObject({ id: 1, error: { data: { code: 'connectionClosed' } } })
    expect(await remote.peer.closed).toEqual({ code: 'closed' })
  })

  it('closes once, however often close is called', async () => {
    const remote = createRemoteEnd()
    await Promise.all([remote.peer.close(), remote.peer.close()])
    await remote.peer.close()
    remote.peer.notify('ignored')
    remote.peer.sendLine('{}')
    expect(remote.peer.bufferedBytes).toBe(0)
  })

  it('starts no handler after the close, even if its transport yields more', async () => {
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

  it('returns an aborted signal to a handler that first reads it after the close', async () => {
    const gate = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<boolean>()
    const remote = createRemoteEnd({
      methods: {
        late: async (_: unknown, context: { signal: AbortSignal }) => {
          gate.resolve()
          await remote.peer.closed
          aborted.resolve(context.signal.aborted)
        },
      },
    })
    remote.write(request(1, 'late'))
    await gate.promise
    await remote.peer.close()
    expect(await aborted.promise).toBe(true)
  })
})

describe('a remote end that ends its input', () => {
  it('still gets replies to its requests', async () => {
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
    const remote = createRemoteEnd({ methods })
    remote.input.end(`${request(1, 'soon')}${request(2, 'obeys')}{"torn`)
    expect(await remote.received(2)).toMatchObject([
      { id: 2, error: { data: { code: 'connectionClosed' } } },
      { id: 1, result: 'done' },
    ])
    expect(await remote.peer.closed).toEqual({ code: 'ended' })
    expect(remote.peer.faultCounts.handlerFailed).toBe(0)
  })

  it('does not wait for a handler that never returns', async () => {
    const remote = createRemoteEnd({ methods: { hang: () => new Promise(() => {}) }, limits: { graceMs: 10 } })
    remote.input.end(request(1, 'hang'))
    expect(await remote.received(1)).toMatchObject([{ id: 1, error: { data: { code: 'connectionClosed' } } }])
    expect(await remote.peer.closed).toEqual({ code: 'ended' })
  })
})

describe('a peer under load', () => {
  it('replies to each of 3000 pipelined requests exactly once, with a result or an overload error', async () => {
    const methods = {
      now: (params: unknown) => params,
      later: async (params: unknown) => {
        await turns(2)
        return params
      },
    }
    await using remote = createRemoteEnd({ methods })
    const ids = Array.from({ length: 3000 }, (_, id) => id)
    remote.write(ids.map((id) => request(id, id % 2 === 0 ? 'now' : 'later', id)).join(''))
    const answers = await remote.received(3000)
    await turns(5)
    expect(remote.lines.length).toBe(3000)
    expect(answers.map((answer) => Reflect.get(Object(answer), 'id')).sort((a, b) => a - b)).toEqual(ids)
    for (const answer of answers) {
      const { id, result, error } = Object(answer)
      if (error === undefined) expect(result).toBe(id)
      else expect(error).toMatchObject({ code: -32001, data: { code: 'serverOverloaded' } })
    }
    expect(remote.lines.filter((line) => line.includes('serverOverloaded')).length).toBe(3000 - 2 * 1024)
  })

  it('stops reading while its replies are not read, and loses nothing', async () => {
    let handled = 0
    let mostBuffered = 0
    const reply = 'x'.repeat(1000)
    const methods = {
      big: () => {
        handled += 1
        mostBuffered = Math.max(mostBuffered, remote.peer.bufferedBytes)
        return reply
      },
    }
    await using remote = createRemoteEnd({ methods, stalled: true })
    remote.write(Array.from({ length: 20_000 }, (_, id) => request(id, 'big')).join(''))
    await until(() => mostBuffered > 4 * 1024 * 1024 - 10_000)
    const atStall = handled
    await turns(50)
    expect(handled).toBe(atStall)
    remote.readAll()
    expect((await remote.received(20_000)).length).toBe(20_000)
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

  it('sends one serialised line to many clients', async () => {
    await using one = createRemoteEnd()
    await using two = createRemoteEnd()
    const line = notificationLine('event', JSON.stringify({ seq: 1 }))
    one.peer.sendLine(line)
    two.peer.sendLine(line)
    for (const remote of [one, two]) {
      expect(await remote.received(1)).toEqual([{ jsonrpc: '2.0', method: 'event', params: { seq: 1 } }])
    }
  })
})
