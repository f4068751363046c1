import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConnectionClosedError, createMemoryTransportPair, createPeer, RpcError } from '../../src/index.ts'
import { createFarSide, until } from '../support/remote-end.ts'

describe('requests made by a peer', () => {
  it('resolve with their own result, whatever the order of the answers', async () => {
    await using far = createFarSide()
    const results = Promise.all([far.peer.request('a', [1]), far.peer.request('b')])
    expect(await far.received(2)).toEqual([
      { jsonrpc: '2.0', id: 0, method: 'a', params: [1] },
      { jsonrpc: '2.0', id: 1, method: 'b' },
    ])
    far.write('{"jsonrpc":"2.0","id":1,"result":"B"}\n{"jsonrpc":"2.0","id":0,"result":"A"}\n')
    expect(await results).toEqual(['A', 'B'])
  })

  it('reject with the error of the far side', async () => {
    await using far = createFarSide()
    const asked = far.peer.request('a')
    far.write(
      '{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"late","data":{"code":"notPending","by":"x"}}}\n',
    )
    const error = await asked.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({ code: -32005, message: 'late', data: { code: 'notPending', by: 'x' } })
  })

  it('reject when aborted, and their late answer is no fault', async () => {
    await using far = createFarSide()
    const controller = new AbortController()
    const asked = far.peer.request('a', undefined, { signal: controller.signal })
    controller.abort('enough')
    await expect(asked).rejects.toMatchObject({ data: { code: 'aborted' }, cause: 'enough' })
    await expect(far.peer.request('b', undefined, { signal: controller.signal })).rejects.toBeInstanceOf(RpcError)
    const next = far.peer.request('c')
    far.write('{"jsonrpc":"2.0","id":0,"result":1}\n{"jsonrpc":"2.0","id":1,"result":2}\n')
    expect(await next).toBe(2)
    expect(far.peer.faultCounts.unknownReply).toBe(0)
    expect((await far.received(2)).length).toBe(2)
  })

  it('reject at once when they cannot be sent, and nothing is sent', async () => {
    await using far = createFarSide({ limits: { maxLineBytes: 1000 } })
    await expect(far.peer.request('a', { big: 1n })).rejects.toBeInstanceOf(TypeError)
    await expect(far.peer.request('a', 'x'.repeat(2000))).rejects.toMatchObject({ data: { code: 'messageTooLarge' } })
    expect(far.peer.bufferedBytes).toBe(0)
  })

  it('reject after the close', async () => {
    const far = createFarSide()
    await far.peer.close()
    await expect(far.peer.request('a')).rejects.toBeInstanceOf(ConnectionClosedError)
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

  it('are never orphaned: any mix of answers, aborts and any kind of end settles them before closed', async () => {
    const step = fc.constantFrom('ask', 'answer', 'fail', 'abort', 'repeat', 'turn')
    const ending = fc.constantFrom('close', 'end', 'tear', 'breakPipe', 'destroyInput')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), ending, async (steps, end) => {
        const far = createFarSide({ stream: { graceMs: 5 } })
        const controllers: AbortController[] = []
        const settled: string[] = []
        let asked = 0
        const perform = {
          ask: () => {
            const controller = new AbortController()
            controllers.push(controller)
            asked += 1
            const note = () => settled.push('request')
            far.peer.request('m', asked, { signal: controller.signal }).then(note, note)
          },
          answer: () => far.write(`{"jsonrpc":"2.0","id":${asked - 1},"result":1}\n`),
          fail: () => far.write(`{"jsonrpc":"2.0","id":${Math.floor(asked / 2)},"error":{"code":1,"message":"m"}}\n`),
          abort: () => controllers.at(asked % 3)?.abort(),
          repeat: () => far.write('{"jsonrpc":"2.0","id":0,"result":1}\n'),
          turn: () => {},
        }
        const ends = {
          close: () => far.peer.close(),
          end: () => far.input.end(),
          tear: () => far.input.end('{"jsonrpc":"2.0","id":0,"res'),
          breakPipe: () => far.output.destroy(Object.assign(new Error(), { code: 'EPIPE' })),
          destroyInput: () => far.input.destroy(),
        }
        const closed = far.peer.closed.then(() => settled.push('closed'))
        for (const each of steps) {
          perform[each]()
          if (each === 'turn') await new Promise(setImmediate)
        }
        void ends[end]()
        await closed
        expect(settled).toEqual([...Array.from({ length: asked }, () => 'request'), 'closed'])
        await until(() => far.input.destroyed)
      }),
      { numRuns: 60 },
    )
  })
})
