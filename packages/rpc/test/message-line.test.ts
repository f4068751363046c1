import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RpcError } from '../src/errors.ts'
import { assertDeliverable, errorLine, notificationLine, requestLine, resultLine } from '../src/message-line.ts'

describe('message lines', () => {
  it('are one line of JSON for any id and any content', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.string({ unit: 'binary' })), fc.jsonValue(), (id, value) => {
        const json = JSON.stringify(value)
        const lines = [requestLine(id, 'm', value), notificationLine('m', json), resultLine(id, value)]
        for (const line of lines) expect(line).not.toContain('\n')
        const [asked, told, answered] = lines.map((line) => JSON.parse(line))
        const sent = JSON.parse(json)
        const echoed = JSON.parse(JSON.stringify(id))
        expect(asked).toEqual({ jsonrpc: '2.0', id: echoed, method: 'm', params: sent })
        expect(told).toEqual({ jsonrpc: '2.0', method: 'm', params: sent })
        expect(answered).toEqual({ jsonrpc: '2.0', id: echoed, result: sent })
      }),
    )
  })

  it('leave absent parameters out and make an absent result null', () => {
    expect(notificationLine('m', undefined)).toBe('{"jsonrpc":"2.0","method":"m"}')
    expect(resultLine(0, undefined)).toBe('{"jsonrpc":"2.0","id":0,"result":null}')
  })

  it('cannot be made of a result without JSON', () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    for (const result of [cycle, 1n, () => 1, Symbol('s'), { toJSON: () => undefined }]) {
      expect(() => resultLine(1, result)).toThrow()
    }
  })

  it('fall back to an internal error when error data has no JSON', () => {
    const line = errorLine(7, new RpcError(-32004, 'secret', { code: 'x', big: 1n }))
    expect(JSON.parse(line)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32603, message: 'internal error', data: { code: 'internal' } },
    })
  })

  it('are measured in bytes', () => {
    expect(() => assertDeliverable('€€', 6)).not.toThrow()
    expect(() => assertDeliverable('€€', 5)).toThrow(RpcError)
    expect(() => assertDeliverable('aaaaaa', 6)).not.toThrow()
  })
})
