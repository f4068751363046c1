import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RpcError } from '../../src/peer/errors.ts'
import {
  assertDeliverable,
  errorLine,
  notificationLine,
  readMessage,
  requestLine,
  resultLine,
} from '../../src/peer/message.ts'

const base = { jsonrpc: '2.0' }

describe('reading a message', () => {
  it('accepts 0, negative integers and the empty string as ids', () => {
    for (const id of [0, -1, 7, Number.MAX_SAFE_INTEGER, '', '7', 'ü']) {
      expect(readMessage({ ...base, id, method: 'm' })).toMatchObject({ kind: 'request', id })
    }
  })

  it('rejects every other id without echoing it', () => {
    for (const id of [1.5, 2 ** 53, Number.POSITIVE_INFINITY, true, false, null, {}, [1]]) {
      expect(readMessage({ ...base, id, method: 'm' })).toMatchObject({ kind: 'invalid', id: null })
    }
  })

  it('treats a message without an id as a notification', () => {
    expect(readMessage({ ...base, method: 'm', params: [1] })).toEqual({
      kind: 'notification',
      method: 'm',
      params: [1],
    })
  })

  it('rejects batches, scalars, a missing version and a missing method', () => {
    for (const value of [[], [{ ...base, id: 1, method: 'm' }], 1, 'text', null, true, {}, base]) {
      expect(readMessage(value)).toMatchObject({ kind: 'invalid', id: null })
    }
    expect(readMessage({ id: 4, method: 'm' })).toMatchObject({ kind: 'invalid', id: 4 })
    expect(readMessage({ ...base, jsonrpc: '1.0', id: 4, method: 'm' })).toMatchObject({ kind: 'invalid', id: 4 })
    expect(readMessage({ ...base, id: 4, method: 5 })).toMatchObject({ kind: 'invalid', id: 4 })
  })

  it('reads results, including null, 0, the empty string and false', () => {
    for (const result of [null, 0, '', false, { a: 1 }]) {
      expect(readMessage({ ...base, id: 0, result })).toEqual({ kind: 'reply', id: 0, outcome: { result } })
    }
  })

  it('reads errors with their data', () => {
    const error = { code: -32004, message: 'gone', data: { code: 'conversationNotFound', conversationId: 'x' } }
    expect(readMessage({ ...base, id: 'a', error })).toMatchObject({ kind: 'reply', id: 'a', outcome: { error } })
  })

  it('turns a malformed reply into an error for its request', () => {
    const malformed = [
      { id: 1, result: 2 },
      { ...base, id: 1, result: 2, error: { code: 1, message: 'both' } },
      { ...base, id: 1, error: 'text' },
      { ...base, id: 1, error: { code: 'x', message: 'y' } },
    ]
    for (const value of malformed) {
      expect(readMessage(value)).toMatchObject({
        kind: 'reply',
        outcome: { error: { data: { code: 'malformedReply' } } },
      })
    }
  })

  it('does not read keys inherited through __proto__', () => {
    expect(readMessage(JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"m"}}'))).toMatchObject({
      kind: 'invalid',
      id: null,
    })
  })
})

describe('message lines', () => {
  it('are one line of JSON for any id and any content', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.string({ unit: codePoint })), fc.jsonValue(), (id, value) => {
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

  it('omit absent parameters and contain null for an absent result', () => {
    expect(notificationLine('m', undefined)).toBe('{"jsonrpc":"2.0","method":"m"}')
    expect(resultLine(0, undefined)).toBe('{"jsonrpc":"2.0","id":0,"result":null}')
  })

  it('cannot be created from a result without JSON', () => {
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
