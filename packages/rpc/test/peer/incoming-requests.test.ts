import { describe, expect, it } from 'vitest'
import { invalidParams, type PeerFault, RpcError } from '../../src/index.ts'
import { createRemoteEnd, request, turns } from '../support/remote-end.ts'

describe('requests that a peer receives', () => {
  it('get a reply for any return value of their handlers', async () => {
    const methods = { echo: (params: unknown) => params, later: async (params: unknown) => params, nothing: () => {} }
    await using remote = createRemoteEnd({ methods })
    remote.write(request(0, 'echo', [1]) + request('', 'later', { a: 2 }) + request(-3, 'nothing'))
    const answers = await remote.received(3)
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 0, result: [1] })
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: '', result: { a: 2 } })
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: -3, result: null })
  })

  it('get one error reply without the cause, however their handlers fail', async () => {
    const faults: PeerFault[] = []
    const cycle: unknown[] = []
    cycle.push(cycle)
    const methods = {
      throws: () => {
        throw new Error('secret')
      },
      rejects: () => Promise.reject(new Error('secret')),
      cycle: () => cycle,
      laterBig: async () => 1n,
      function: () => () => 'secret',
      badThen: () => ({
        // biome-ignore lint/suspicious/noThenProperty: the hostile case under test
        get then() {
          throw new Error('secret')
        },
      }),
    }
    await using remote = createRemoteEnd({ methods, onFault: (fault) => faults.push(fault) })
    const names = Object.keys(methods)
    for (const name of names) remote.write(request(name, name))
    const answers = await remote.received(names.length)
    for (const id of names) {
      const error = { code: -32603, message: 'internal error', data: { code: 'internal' } }
      expect(answers).toContainEqual({ jsonrpc: '2.0', id, error })
    }
    expect(remote.lines.join()).not.toContain('secret')
    expect(faults.map((fault) => fault.code === 'handlerFailed' && fault.method).sort()).toEqual(names.sort())
  })

  it('get a thrown RpcError as their error reply', async () => {
    const methods = {
      params: () => {
        throw invalidParams('must be a string', 'input[0].text')
      },
      gone: async () => {
        throw new RpcError(-32004, 'no such conversation', { code: 'conversationNotFound', id: 'x' })
      },
    }
    await using remote = createRemoteEnd({ methods })
    remote.write(request(1, 'params') + request(2, 'gone'))
    expect(await remote.received(2)).toMatchObject([
      { id: 1, error: { code: -32602, data: { code: 'invalidParams', field: 'input[0].text' } } },
      {
        id: 2,
        error: { code: -32004, message: 'no such conversation', data: { code: 'conversationNotFound', id: 'x' } },
      },
    ])
  })

  it('get methodNotFound for an unknown method, also for a key of every object', async () => {
    await using remote = createRemoteEnd()
    for (const method of ['nope', 'constructor', '__proto__', 'toString']) remote.write(request(method, method))
    const answers = await remote.received(4)
    for (const method of ['nope', 'constructor', '__proto__', 'toString']) {
      const error = { code: -32601, data: { code: 'methodNotFound', method } }
      expect(answers).toContainEqual(expect.objectContaining({ id: method, error: expect.objectContaining(error) }))
    }
  })

  it('start in the order of their lines, and may finish in another order', async () => {
    const order: string[] = []
    const gate = Promise.withResolvers<void>()
    const methods = {
      send: () => {
        order.push('send')
        return gate.promise.then(() => 'sent')
      },
      interrupt: () => {
        order.push('interrupt')
        gate.resolve()
        return 'interrupted'
      },
    }
    await using remote = createRemoteEnd({ methods })
    remote.write(request(1, 'send') + request(2, 'interrupt'))
    expect(await remote.received(2)).toMatchObject([{ id: 2 }, { id: 1 }])
    expect(order).toEqual(['send', 'interrupt'])
  })

  it('are rejected while their id is in flight, without effect on the first request', async () => {
    const gate = Promise.withResolvers<string>()
    await using remote = createRemoteEnd({ methods: { wait: () => gate.promise } })
    remote.write(request(7, 'wait') + request(7, 'wait') + request('7', 'nope'))
    expect(await remote.received(2)).toMatchObject([
      { id: null, error: { code: -32600, data: { code: 'duplicateId', id: 7 } } },
      { id: '7', error: { code: -32601 } },
    ])
    gate.resolve('first')
    expect((await remote.received(3)).at(2)).toEqual({ jsonrpc: '2.0', id: 7, result: 'first' })
    remote.write(request(7, 'wait'))
    expect((await remote.received(4)).at(3)).toEqual({ jsonrpc: '2.0', id: 7, result: 'first' })
  })

  it('are rejected beyond the limit, while notifications are not', async () => {
    const gate = Promise.withResolvers<void>()
    let told = 0
    const notifications = {
      tell: () => {
        told += 1
      },
    }
    const limits = { maxInFlight: 2 }
    await using remote = createRemoteEnd({ methods: { wait: () => gate.promise }, notifications, limits })
    const tell = '{"jsonrpc":"2.0","method":"tell"}\n'
    remote.write(`${request(1, 'wait')}${request(2, 'wait')}${request(3, 'wait')}${tell}`)
    expect(await remote.received(1)).toMatchObject([
      { id: 3, error: { code: -32001, data: { code: 'serverOverloaded' } } },
    ])
    gate.resolve()
    await remote.received(3)
    expect(told).toBe(1)
  })

  it('run afterReply callbacks after a result, not after an error', async () => {
    const methods = {
      first: async (_: unknown, context: { afterReply(fn: () => void): void }) => {
        context.afterReply(() => remote.peer.notify('event', 1))
        context.afterReply(() => remote.peer.notify('event', 2))
        await Promise.resolve()
        return 'reply'
      },
      fails: (_: unknown, context: { afterReply(fn: () => void): void }) => {
        context.afterReply(() => remote.peer.notify('event', 3))
        throw new RpcError(-32004, 'no', { code: 'no' })
      },
    }
    await using remote = createRemoteEnd({ methods })
    remote.write(request(1, 'first') + request(2, 'fails'))
    const answers = await remote.received(4)
    const first = answers.findIndex((answer) => JSON.stringify(answer).includes('"reply"'))
    expect(answers.slice(first, first + 3)).toMatchObject([{ id: 1 }, { method: 'event', params: 1 }, { params: 2 }])
    await turns(5)
    expect(remote.lines.length).toBe(4)
  })

  it('get an error in place of a reply that is too long for the remote end', async () => {
    const limits = { maxLineBytes: 1000 }
    await using remote = createRemoteEnd({ methods: { big: () => 'x'.repeat(2000) }, limits })
    remote.write(request(1, 'big'))
    expect(await remote.received(1)).toMatchObject([
      { id: 1, error: { code: -32603, data: { code: 'messageTooLarge', maxLineBytes: 1000 } } },
    ])
  })
})
