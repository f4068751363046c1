import { describe, expect, it } from 'vitest'
import type { PeerFault } from '../../src/index.ts'
import { createFarSide, request } from '../support/remote-end.ts'

const methods = { ping: () => 'pong' }

describe('lines that are no proper message', () => {
  it('are answered with a parse error that has id null and not the content (F029, F030, F032)', async () => {
    await using far = createFarSide({ methods, stream: { maxLineBytes: 3000, maxDepth: 20 } })
    far.write(`secret\n{"secret":\n${'['.repeat(2999)}\n${'secret'.repeat(600)}\n`)
    far.write(Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x0a]))
    far.write(request(1, 'ping'))
    const answers = await far.received(6)
    for (const answer of answers.slice(0, 5)) {
      expect(answer).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700, data: { code: 'parseError' } } })
    }
    expect(answers.at(5)).toEqual({ jsonrpc: '2.0', id: 1, result: 'pong' })
    expect(far.lines.join()).not.toContain('secret')
    expect(far.peer.faultCounts.unreadable).toBe(5)
  })

  it('are invalid requests with id null when their id is none (F033)', async () => {
    await using far = createFarSide({ methods })
    for (const id of ['1.5', '1e999', '9007199254740993', 'true', 'null', '{}', '1,"id":2']) {
      far.write(`{"jsonrpc":"2.0","method":"ping","id":${id}}\n`)
    }
    const answers = await far.received(7)
    for (const answer of answers) {
      expect(answer).toMatchObject({ id: null, error: { code: -32600, data: { code: 'invalidRequest' } } })
    }
  })

  it('are invalid requests with their own id when they have one (F039)', async () => {
    await using far = createFarSide({ methods })
    far.write('[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n{"id":"a","method":"ping"}\n{"jsonrpc":"2.0","id":9}\n')
    expect(await far.received(3)).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 'a', error: { code: -32600 } },
      { id: 9, error: { code: -32600 } },
    ])
  })

  it('never take the id of a request in flight', async () => {
    const gate = Promise.withResolvers<void>()
    await using far = createFarSide({ methods: { wait: () => gate.promise } })
    far.write(`${request(9, 'wait')}{"jsonrpc":"1.0","id":9,"method":"wait"}\n`)
    expect(await far.received(1)).toMatchObject([{ id: null, error: { code: -32600 } }])
    gate.resolve()
    expect((await far.received(2)).at(1)).toEqual({ jsonrpc: '2.0', id: 9, result: null })
  })
})

describe('replies', () => {
  it('to unknown requests are counted, reported once and never answered (F036)', async () => {
    const faults: PeerFault[] = []
    await using far = createFarSide({ methods, onFault: (fault) => faults.push(fault) })
    far.write('{"jsonrpc":"2.0","id":5,"result":1}\n{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}\n')
    far.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}\n${request(1, 'ping')}`)
    expect(await far.received(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'pong' }])
    expect(far.peer.faultCounts).toMatchObject({ unknownReply: 2, notUnderstood: 1 })
    expect(faults.map((fault) => fault.code)).toEqual(['unknownReply', 'notUnderstood'])
  })
})

describe('notifications', () => {
  it('are never answered, whether unknown or failing', async () => {
    const faults: PeerFault[] = []
    const notifications = {
      throws: () => {
        throw new Error('boom')
      },
      rejects: () => Promise.reject(new Error('boom')),
    }
    await using far = createFarSide({ methods, notifications, onFault: (fault) => faults.push(fault) })
    for (const method of ['throws', 'rejects', 'unknown', 'ping', 'constructor']) {
      far.write(`{"jsonrpc":"2.0","method":"${method}"}\n`)
    }
    far.write(request(1, 'ping'))
    expect(await far.received(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: 'pong' }])
    expect(faults).toMatchObject([{ method: 'throws' }, { method: 'rejects' }])
  })
})
