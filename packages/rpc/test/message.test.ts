import { describe, expect, it } from 'vitest'
import { readMessage } from '../src/message.ts'

const base = { jsonrpc: '2.0' }

describe('reading a message', () => {
  it('takes 0, negative integers and the empty string for ids', () => {
    for (const id of [0, -1, 7, Number.MAX_SAFE_INTEGER, '', '7', 'ü']) {
      expect(readMessage({ ...base, id, method: 'm' })).toMatchObject({ kind: 'request', id })
    }
  })

  it('refuses every other id without echoing it (F033)', () => {
    for (const id of [1.5, 2 ** 53, Number.POSITIVE_INFINITY, true, false, null, {}, [1]]) {
      expect(readMessage({ ...base, id, method: 'm' })).toMatchObject({ kind: 'invalid', id: null })
    }
  })

  it('takes a message without an id for a notification', () => {
    expect(readMessage({ ...base, method: 'm', params: [1] })).toEqual({
      kind: 'notification',
      method: 'm',
      params: [1],
    })
  })

  it('refuses batches, scalars, a missing version and a missing method (F039)', () => {
    for (const value of [[], [{ ...base, id: 1, method: 'm' }], 1, 'text', null, true, {}, base]) {
      expect(readMessage(value)).toMatchObject({ kind: 'invalid', id: null })
    }
    expect(readMessage({ id: 4, method: 'm' })).toMatchObject({ kind: 'invalid', id: 4 })
    expect(readMessage({ ...base, jsonrpc: '1.0', id: 4, method: 'm' })).toMatchObject({ kind: 'invalid', id: 4 })
    expect(readMessage({ ...base, id: 4, method: 5 })).toMatchObject({ kind: 'invalid', id: 4 })
  })

  it('reads results, also undefined-like ones', () => {
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

  it('does not read inherited or smuggled keys (F033)', () => {
    expect(readMessage(JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"method":"m"}}'))).toMatchObject({
      kind: 'invalid',
      id: null,
    })
  })
})
