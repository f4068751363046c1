import { describe, expect, it } from 'vitest'
import { overHttp } from '../../src/exchange/over-http.ts'
import { zeroUsage } from '../../src/port/model-client.ts'
import { anySchema } from '../../src/port/tool-rules.ts'
import type { HttpWire } from '../../src/port/wire.ts'
import { refusalOf, startLoopback, streamOf } from '../support/loopback.ts'
import { collect, failureOf, providerAt, requestOf } from '../support/requests.ts'

/** A wire that differs from OpenAI's in everything. */
const otherWire: HttpWire = {
  version: 'other/1',
  toolRules: anySchema,
  headers: (key) => ({ 'x-key': key ?? 'none', 'x-version': '7' }),
  requestPath: (model) => `/models/${model}:stream?alt=sse`,
  modelsPath: '/catalogue?all=1',
  readModels: (body) => body.split(' ').map((id) => ({ id })),
  readError: (body) => ({ message: body, code: '', kind: 'overloaded' }),
  createWriter:
    (adapter) =>
    ({ model }) => [Buffer.from(`${adapter} `), Buffer.from(model)],
  createReader: () => ({
    read: (data, out) => {
      out.push({ type: 'completed', parts: [data], usage: zeroUsage, stop: 'stop' })
    },
    end: () => {},
  }),
}

const clientAt = (baseUrl: string) =>
  overHttp(otherWire).createClient(providerAt(baseUrl, { envKey: 'KEY', queryParams: { v: '2' } }), {
    env: { KEY: 'k-1' },
  })

describe('a wire', () => {
  it('decides on path, headers and body of a request, and reads the response', async () => {
    await using server = await startLoopback(streamOf('data: hello\n\n'))
    const events = await collect(clientAt(server.baseUrl), requestOf())
    expect(events).toMatchObject([{ type: 'completed', parts: ['hello'] }])
    expect(server.requests[0]?.url).toBe('/v1/models/m1:stream?alt=sse&v=2')
    expect(server.requests[0]?.headers).toMatchObject({ 'x-key': 'k-1', 'x-version': '7' })
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
    expect(server.bodies).toEqual(['other/1:test m1'])
  })

  it('decides on path and form of the list of models', async () => {
    await using server = await startLoopback(refusalOf(200, 'one two'))
    const listing = await clientAt(server.baseUrl).listModels(new AbortController().signal)
    expect(listing).toEqual({ type: 'models', models: ['one', 'two'] })
    expect(server.requests[0]?.url).toBe('/v1/catalogue?all=1&v=2')
  })

  it('warms up without sending anything, also for an address that cannot be used', async () => {
    await using server = await startLoopback(streamOf('data: hello\n\n'))
    clientAt(server.baseUrl).warmUp?.()
    clientAt('https://').warmUp?.()
    const events = await collect(clientAt(server.baseUrl), requestOf())
    expect(events).toHaveLength(1)
    expect(server.requests).toHaveLength(1)
  })

  it('says how long it has waited for a list of models that does not come', async () => {
    await using server = await startLoopback(() => undefined)
    const client = overHttp(otherWire).createClient(providerAt(server.baseUrl), {
      env: {},
      limits: { listTimeoutMs: 50 },
    })
    expect(await client.listModels(new AbortController().signal)).toMatchObject({
      type: 'failed',
      failure: { code: 'idleTimeout', message: 'Test provider has sent nothing for 0.05 s.' },
    })
  })

  it('reads the error of a rejected request', async () => {
    await using server = await startLoopback(refusalOf(400, 'come back later'))
    const failure = failureOf(await collect(clientAt(server.baseUrl)))
    expect(failure).toMatchObject({ code: 'overloaded', message: expect.stringContaining('come back later') })
  })
})
