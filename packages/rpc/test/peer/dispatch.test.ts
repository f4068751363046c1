import { describe, expect, it } from 'vitest'
import type { PeerFault } from '../../src/index.ts'
import { createRemoteEnd, request } from '../support/remote-end.ts'

const methods = { ping: () => 'pong' }

describe('lines that are not valid messages', () => {
  it('get a parse error with id null and without their content', async () => {
    await using remote = createRemoteEnd({ methods, stream: { maxLineBytes: 3000, maxDepth: 20 } })
    remote.write(`secret\n{"secret":\n${'['.repeat(2999)}\n${'secret'.repeat(600)}\n`)
    remote.write(Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x0a]))
    remote.write(request(1, 'ping'))
    const answers = await remote.received(6)
    for (const answer of answers.slice(0, 5)) {
      expect(answer).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700, data: { code: 'parseError' } } })
    }
    expect(answers.at(5)).toEqual({ jsonrpc: '2.0', id: 1, result: 'pong' })
    expect(remote.lines.join()).not.toContain('secret')
    expect(remote.peer.faultCounts.unreadable).toBe(5)
  })

  it('are invalid requests with id null when their id is not valid', async () => {
    await using remote = createRemoteEnd({ methods })
    for (const id of ['1.5', '1e999', '9007199254740993', 'true', 'null', '{}', '1,"id":2']) {
      remote.write(`{"jsonrpc":"2.0","method":"ping","id":${id}}\n`)
    }
    const answers = await remote.received(7)
    for (const answer of answers) {
      expect(answer).toMatchObject({ id: null, error: { code: -32600, data: { code: 'invalidRequest' } } })
    }
  })

  it('are invalid requests with their own id when it is valid', async () => {
    await using remote = createRemoteEnd({ methods })
    remote.write('[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n{"id":"a","method":"ping"}\n{"jsonrpc":"2.0","id":9}\n')
    expect(await remote.received(3)).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 'a', error: { code: -32600 } },
      { id: 9, error: { code: -32600 } },
    ])
  })

  it('get id null instead of the id of a request in flight', async () => {
    const gate = Promise.withResolvers<void>()
    await using remote = createRemoteEnd({ methods: { wait: () => gate.promise } })
    remote.write(`${request(9, 'wait')}{"jsonrpc":"1.0","id":9,"method":"wait"}\n`)
    expect(await remote.received(1)).toMatchObject([{ id: null, error: { code: -32600 } }])
    gate.resolve()
    expect((await remote.received(2)).at(1)).toEqual({ jsonrpc: '2.0', id: 9, result: null })
  })
})

describe('replies', () => {
  it('to unknown requests are counted, reported once and get no reply', async () => {
    const faults: PeerFault[] = []
    await using remote = createRemoteEnd({ methods, onFault: (fault) => faults.push(fault) })
    remote.write('{"jsonrpc":"2.0","id":5,"result":1}\n{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}\n')
    remote.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}\n${request(1, 'ping')}`)
    expect(await remote.received(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'pong' }])
    expect(remote.peer.faultCounts).toMatchObject({ unknownReply: 2, notUnderstood: 1 })
    expect(faults.map((fault) => fault.code)).toEqual(['unknownReply', 'notUnderstood'])
  })
})

describe('notifications', () => {
  it('get no reply, whether unknown or failing', async () => {
    const faults: PeerFault[] = []
    const notifications = {
      throws: () => {
        throw new Error('boom')
      },
      rejects: () => Promise.reject(new Error('boom')),
    }
    await using remote = createRemoteEnd({ methods, notifications, onFault: (fault) => faults.push(fault) })
    for (const method of ['throws', 'rejects', 'unknown', 'ping', 'constructor']) {
      remote.write(`{"jsonrpc":"2.0","method":"${method}"}\n`)
    }
    remote.write(request(1, 'ping'))
    expect(await remote.received(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'pong' }])
    expect(faults).toMatchObject([{ method: 'throws' }, { method: 'rejects' }])
  })
})
