import { describe, expect, it } from 'vitest'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { readStream } from '../../support/read-body.ts'
import { failureOf } from '../../support/requests.ts'

/** Events of an answer whose parts come one in a chunk. */
function read(functionCalls: readonly object[], finishReason = 'STOP', signature?: string) {
  const chunks = functionCalls.map((functionCall, index) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ functionCall, ...(index === 0 && signature !== undefined ? { thoughtSignature: signature } : {}) }],
        },
        ...(index === functionCalls.length - 1 ? { finishReason } : {}),
      },
    ],
  }))
  return readStream(geminiWire, chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
}

const callsOf = (events: ReturnType<typeof read>) =>
  events.flatMap((event) => (event.type === 'call' ? [[event.name, JSON.parse(event.arguments)]] : []))

const begun = { name: 'cook', willContinue: true }
const piece = (jsonPath: string, value: object, isLast = false) => ({
  partialArgs: [{ jsonPath, ...value }],
  ...(isLast ? {} : { willContinue: true }),
})

describe('a call that comes in pieces', () => {
  it('is whole with its last piece, each value in its place', () => {
    const events = read([
      begun,
      piece('$.dish', { stringValue: 'Las', willContinue: true }),
      piece('$.dish', { stringValue: 'agne' }),
      piece('$.parts[0].name', { stringValue: 'é', willContinue: true }),
      piece('$.parts[0].name', { stringValue: '' }),
      { willContinue: true },
      piece('$.parts[0].grams', { numberValue: 0.5 }),
      piece('$.parts[1]', { boolValue: false }),
      piece(`$['a b']["c'd"]`, { nullValue: 'NULL_VALUE' }),
      {},
    ])
    const args = { dish: 'Lasagne', parts: [{ name: 'é', grams: 0.5 }, false], 'a b': { "c'd": null } }
    expect(callsOf(events)).toEqual([['cook', args]])
    expect(events.at(-1)).toMatchObject({ type: 'completed', stop: 'stop' })
  })

  it('goes back whole, in the part with the signature', () => {
    const last = read([begun, piece('$.dish', { stringValue: 'x' }, true)], 'STOP', 'sealed').at(-1)
    expect(last).toMatchObject({
      parts: [{ functionCall: { name: 'cook', args: { dish: 'x' } }, thoughtSignature: 'sealed' }],
    })
  })

  it('may be followed by others, in pieces or whole, and may name itself and its id in each piece', () => {
    const named = (more: object) => ({ name: 'cook', id: 'c1', ...more })
    const events = read([
      named(piece('$.dish', { stringValue: 'a' })),
      named(piece('$.dish', { stringValue: 'b' }, true)),
      {},
      begun,
      {},
      { name: 'wait', args: { s: 1 } },
    ])
    expect(callsOf(events)).toEqual([
      ['cook', { dish: 'ab' }],
      ['cook', {}],
      ['wait', { s: 1 }],
    ])
  })

  it('keeps names that objects have of their own as they are', () => {
    const events = read([
      begun,
      piece('$.__proto__.x', { numberValue: 1 }),
      piece('$.constructor', { numberValue: 2 }),
      {},
    ])
    const [call] = events.flatMap((event) => (event.type === 'call' ? [event.arguments] : []))
    expect(call).toBe('{"__proto__":{"x":1},"constructor":2}')
  })

  it.each([
    ['has no beginning', [piece('$.dish', { stringValue: 'x' })]],
    ['has no end', [begun, piece('$.dish', { stringValue: 'x' })]],
    ['is cut off by another', [begun, { name: 'other', willContinue: true }, {}]],
    ['is cut off by a whole one', [begun, { name: 'other', args: {} }]],
    ['skips an index', [begun, piece('$.a[1]', { numberValue: 1 }), {}]],
    ['goes through a text', [begun, piece('$.a', { stringValue: 'x' }), piece('$.a.b', { stringValue: 'x' }), {}]],
    ['names many places', [begun, piece('$..a', { numberValue: 1 }), {}]],
    ['names no place', [begun, piece('$', { numberValue: 1 }), {}]],
    ['has no value', [begun, piece('$.a', {}), {}]],
  ])('is not run when it %s', (_what, calls) => {
    const events = read(calls)
    expect(failureOf(events)).toMatchObject({ code: 'malformedStream', retry: 'short' })
    expect(callsOf(events)).toEqual([])
  })

  it('is left out where the output limit cut it', () => {
    const events = read([begun, piece('$.dish', { stringValue: 'x' })], 'MAX_TOKENS')
    expect(callsOf(events)).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'completed', stop: 'length' })
  })
})
