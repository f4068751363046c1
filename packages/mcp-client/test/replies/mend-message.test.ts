import { describe, expect, it } from 'vitest'
import { mendMessage } from '../../src/replies/mend-message.ts'
import { mendedFetch } from '../../src/replies/mended-fetch.ts'
import { withoutNulls } from '../../src/replies/without-nulls.ts'

const answer = (more: object) => ({ jsonrpc: '2.0', id: 1, ...more })
const open = new Set([1])

describe('a message of an MCP server', () => {
  it.each([
    answer({ result: { content: [{ type: 'text', text: null }] } }),
    answer({ error: { code: -32602, message: 'no', data: { x: null } } }),
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } },
  ])('in form stays as it is: %j', (message) => {
    expect(mendMessage(message, open)).toBe(message)
  })

  it.each([
    [answer({ result: {}, error: null }), answer({ result: {} })],
    [answer({ result: null, error: { code: 1, message: 'x' } }), answer({ error: { code: 1, message: 'x' } })],
    [answer({ result: { a: 1, _meta: null } }), answer({ result: { a: 1 } })],
    [answer({ error: 'no luck' }), answer({ error: { code: -32000, message: 'no luck' } })],
    [
      answer({ error: { code: 'E1', message: 'no luck', data: null } }),
      answer({ error: { code: -32000, message: 'no luck' } }),
    ],
    [answer({ error: { reason: 'x' } }), answer({ error: { code: -32000, message: '{"reason":"x"}' } })],
    [
      { ...answer({ error: { code: -32001, message: 'Session not found' } }), id: null },
      answer({ error: { code: -32001, message: 'Session not found' } }),
    ],
    [
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, total: null, message: null } },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } },
    ],
    [
      { jsonrpc: '2.0', method: 'ping', params: null },
      { jsonrpc: '2.0', method: 'ping' },
    ],
    [
      answer({
        result: {
          protocolVersion: '1',
          capabilities: { tools: { listChanged: null }, prompts: null },
          instructions: null,
        },
      }),
      answer({
        result: { protocolVersion: '1', capabilities: { tools: {} }, serverInfo: { name: 'unnamed', version: '0' } },
      }),
    ],
  ])('has null for what is absent, and an error in words: %j', (message, mended) => {
    expect(mendMessage(message, open)).toEqual(mended)
  })

  it.each([
    '"method":"notifications/message","params":{"level":"info","data":DEEP}',
    '"method":"ping","params":{"a":null,"b":RECORDS}',
    '"id":1,"error":DEEP',
    '"id":1,"error":{"code":1,"message":DEEP}',
    '"id":1,"result":{"protocolVersion":"1","capabilities":RECORDS}',
  ])('is read however deep it is: %s', (fields) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const records = `${'{"a":'.repeat(100_000)}null${'}'.repeat(100_000)}`
    const written = `{"jsonrpc":"2.0",${fields.replace('DEEP', deep).replace('RECORDS', records)}}`
    expect(mendMessage(JSON.parse(written), open)).toMatchObject({ jsonrpc: '2.0' })
  })

  it.each([
    [{}, 'nothing'],
    [{ result: null }, 'nothing'],
    [{ result: [1] }, 'a list'],
    [{ result: 'x' }, 'a string'],
  ])('without a result is an error: %j', (more, what) => {
    const message = `its answer is not valid MCP: it has ${what} where its result belongs`
    expect(mendMessage(answer(more), open)).toEqual(answer({ error: { code: -32000, message } }))
  })

  it('without an id is left alone where several requests wait', () => {
    const message = { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }
    expect(mendMessage(message, new Set([1, 2]))).toBe(message)
  })

  const lost = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}}'
  it.each([
    ['application/json', lost, '{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"x"}}'],
    ['application/json', '{"jsonrpc":', '{"jsonrpc":'],
    [
      'text/event-stream',
      `: hi\r\n\r\nid: 1\ndata: ${lost}\r\n\r\n`,
      ': hi\r\n\r\nid: 1\ndata: {"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"x"}}\r\n\r\n',
    ],
    ['text/html', lost, lost],
  ])('over HTTP as %s is read in the same way', async (type, body, expected) => {
    const bytes = new TextEncoder().encode(body)
    for (const at of [0, 1, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue(bytes.slice(0, at))
          controller.enqueue(bytes.slice(at))
          controller.close()
        },
      })
      const send = mendedFetch(async () => new Response(stream, { headers: { 'content-type': type } }))
      const response = await send('http://x', { method: 'POST', body: '{"jsonrpc":"2.0","id":7,"method":"ping"}' })
      expect(await response.text()).toBe(expected)
    }
  })
})

describe('null in a schema', () => {
  it.each([
    [{ properties: null, required: null, description: null }, {}],
    [{ properties: { a: null, b: { type: 'string', title: null } } }, { properties: { a: {}, b: { type: 'string' } } }],
    [{ anyOf: [null, { type: 'string', format: null }], items: null }, { anyOf: [{ type: 'string' }] }],
    [
      { type: ['string', null], required: ['a', null] },
      { type: ['string', 'null'], required: ['a'] },
    ],
    [{ properties: { default: null } }, { properties: { default: {} } }],
  ])('stands for what is absent: %j', (schema, expected) => {
    expect(withoutNulls(schema)).toEqual(expected)
  })

  it('stays where it is a value', () => {
    const schema = {
      default: null,
      const: null,
      enum: ['a', null],
      examples: [null],
      properties: { a: { default: null } },
    }
    expect(JSON.stringify(withoutNulls(schema))).toBe(JSON.stringify(schema))
  })

  it('is not looked for in a schema that no API takes', () => {
    const deep = Array.from({ length: 101 }).reduce<Record<string, unknown>>((inner) => ({ items: inner }), {})
    expect(withoutNulls(deep)).toBeNull()
  })
})
