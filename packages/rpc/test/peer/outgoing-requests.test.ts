import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConnectionClosedError, createMemoryTransportPair, createPeer, RpcError } from '../../src/index.ts'
import { createRemoteEnd, until } from '../support/remote-end.ts'

describe('requests that a peer sends', () => {
  it('resolve with their own result in any order of replies', async () => {
    await using remote = createRemoteEnd()
    const results = Promise.all([remote.peer.request('a', [1]), remote.peer.request('b')])
    expect(await remote.received(2)).toEqual([
      { jsonrpc: '2.0', id: 0, method: 'a', params: [1] },
      { jsonrpc: '2.0', id: 1, method: 'b' },
    ])
    remote.write('{"jsonrpc":"2.0","id":1,"result":"B"}\n{"jsonrpc":"2.0","id":0,"result":"A"}\n')
    expect(await results).toEqual(['A', 'B'])
  })

  it('reject with the error of the remote end', async () => {
    await using remote = createRemoteEnd()
    const asked = remote.peer.request('a')
    remote.write(
      '{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"late","data":{"code":"notPending","by":"x"}}}\n',
    )
    const error = await asked.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ code: -32005, message: 'late', data: { code: 'notPending', by: 'x' } })
  })

  it('reject when aborted, and their late reply is not a fault', async () => {
    await using remote = createRemoteEnd()
    const controller = new AbortController()
    const asked = remote.peer.request('a', undefined, { signal: controller.signal })
    controller.abort('enough')
    await expect(asked).rejects.toMatchObject({ data: { code: 'aborted' }, cause: 'enough' })
    await expect(remote.peer.request('b', undefined, { signal: controller.signal })).rejects.toBeInstanceOf(RpcError)
    const next = remote.peer.request('c')
    remote.write('{"jsonrpc":"2.0","id":0,"result":1}\n{"jsonrpc":"2.0","id":1,"result":2}\n')
    expect(await next).toBe(2)
    expect(remote.peer.faultCounts.unknownReply).toBe(0)
    expect((await remote.received(2)).length).toBe(2)
  })

  it('reject at once, without sending anything, when they cannot be sent', async () => {
    await using remote = createRemoteEnd({ limits: { maxLineBytes: 1000 } })
    await expect(remote.peer.request('a', { big: 1n })).rejects.toBeInstanceOf(TypeError)
    await expect(remote.peer.request('a', 'x'.repeat(2000))).rejects.toMatchObject({
      data: { code: 'messageTooLarge' },
    })
    expect(remote.peer.bufferedBytes).toBe(0)
  })

  it('reject after the close', async () => {
    const remote = createRemoteEnd()
    await remote.peer.close()
    await expect(remote.peer.request('a')).rejects.toBeInstanceOf(ConnectionClosedError)
  })

  it('leave no listener on a signal that outlives them', async () => {
    const [here, there] = createMemoryTransportPair()
    await using asking = createPeer({ transport: here, methods: {} })
    await using _answering = createPeer({ transport: there, methods: { a: () => 1 } })
    let listening = 0
    const { signal } = new AbortController()
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listening += 1
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listening -= 1
      remove(...args)
    }
    await Promise.all(Array.from({ length: 20 }, () => asking.request('a', undefined, { signal })))
    expect(listening).toBe(0)
  })

  it('are all settled before closed, for any mix of replies, aborts and kinds of end', async () => {
    const step = fc.constantFrom('ask', 'answer', 'fail', 'abort', 'repeat', 'turn')
    const ending = fc.constantFrom('close', 'end', 'tear', 'breakPipe', 'destroyInput')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), ending, async (steps, end) => {
        const remote = createRemoteEnd({ stream: { graceMs: 5 } })
        const controllers: AbortController[] = []
        const settled: string[] = []
        let asked = 0
        const perform = {
          ask: () => {
            const controller = new AbortController()
            controllers.push(controller)
            asked += 1
            const note = () => settled.push('request')
            remote.peer.request('m', asked, { signal: controller.signal }).then(note, note)
          },
          answer: () => remote.write(`{"jsonrpc":"2.0","id":${asked - 1},"result":1}\n`),
          fail: () =>
            remote.write(`{"jsonrpc":"2.0","id":${Math.floor(asked / 2)},"error":{"code":1,"message":"m"}}\n`),
          abort: () => controllers.at(asked % 3)?.abort(),
          repeat: () => remote.write('{"jsonrpc":"2.0","id":0,"result":1}\n'),
          turn: () => {},
        }
        const ends = {
          close: () => remote.peer.close(),
          end: () => remote.input.end(),
          tear: () => remote.input.end('{"jsonrpc":"2.0","id":0,"res'),
          breakPipe: () => remote.output.destroy(Object.assign(new Error(), { code: 'EPIPE' })),
          destroyInput: () => remote.input.destroy(),
        }
        const closed = remote.peer.closed.then(() => settled.push('closed'))
        for (const each of steps) {
          perform[each]()
          if (each === 'turn') await new Promise(setImmediate)
        }
        void ends[end]()
        await closed
        expect(settled).toEqual([...Array.from({ length: asked }, () => 'request'), 'closed'])
        await until(() => remote.input.destroyed)
      }),
      { numRuns: 60 },
    )
  })
})
