import type { ServerResponse } from 'node:http'
import { anthropicFrames, geminiFrames } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../src/port/model-client.ts'
import type { ProviderConfig, WireName } from '../../../src/providers.ts'
import { createModelClient } from '../../../src/registry.ts'
import { openStreamOf, type Reply, refusalOf, startLoopback, streamOf } from '../../support/loopback.ts'
import { fixture } from '../../support/read-body.ts'
import { collect, failureOf, providerAt, requestOf, response, result } from '../../support/requests.ts'
import { readAsWire } from '../../support/sdk-answer.ts'
import { pluginWorld } from './plugin-world.ts'

const framesOf = { anthropic: anthropicFrames, gemini: geminiFrames }
const tooLong = {
  anthropic: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
  },
  gemini: {
    error: { code: 400, status: 'INVALID_ARGUMENT', message: 'The input token count (9) exceeds the maximum (8).' },
  },
}
const env = { A_KEY: 'the-key-of-it' }
const pairs = [
  ['anthropic', '@ai-sdk/anthropic'],
  ['gemini', '@ai-sdk/google'],
] as const

/** Returns the events of our wire and of the package in its process, for the same reply. */
async function bothOf(
  wireApi: WireName,
  name: string,
  reply: Reply,
  request = requestOf(),
): Promise<readonly (readonly ModelEvent[])[]> {
  await using world = pluginWorld()
  await world.installReal(name)
  await using server = await startLoopback(reply)
  const own: ProviderConfig = { ...providerAt(server.baseUrl, { envKey: 'A_KEY' }), wireApi }
  return [
    await collect(createModelClient(own, { env }), request),
    await collect(world.client(name, { baseUrl: server.baseUrl, envKey: 'A_KEY' }, env), request),
  ]
}

describe.each(pairs)('a package in its process and our %s wire', (wireApi, name) => {
  it('make the same of an answer with calls', async () => {
    const [own, plugin] = await bothOf(wireApi, name, streamOf(fixture(`${wireApi}-answer`)))
    expect(readAsWire(plugin ?? [])).toEqual(readAsWire(own ?? []))
  })

  it('make the same of an answer at the output limit', async () => {
    const [own, plugin] = await bothOf(wireApi, name, streamOf(fixture(`${wireApi}-length`)))
    expect(readAsWire(plugin ?? []).stop).toBe('length')
    expect(readAsWire(plugin ?? []).text).toBe(readAsWire(own ?? []).text)
  })

  it.each([
    ['a refused key', 401],
    ['a limit of requests', 429],
    ['a fault', 500],
  ])('say the same of %s', async (_words, status) => {
    const [own, plugin] = await bothOf(wireApi, name, refusalOf(status, { error: { message: 'No.' } }))
    const { code, retry } = failureOf([...(own ?? [])])
    expect(failureOf([...(plugin ?? [])])).toMatchObject({ code, retry, status })
  })

  it.each([
    ['overloaded', refusalOf(529, { error: { type: 'overloaded_error', message: 'Overloaded' } }), 'overloaded'],
    ['too long', refusalOf(400, tooLong[wireApi]), 'contextTooLong'],
    ['reset', (reply: ServerResponse) => void reply.socket?.resetAndDestroy(), 'connectionReset'],
  ])('say the same of a request that is %s', async (_words, reply, code) => {
    const [own, plugin] = await bothOf(wireApi, name, reply)
    const failure = failureOf([...(own ?? [])])
    expect(failure.code).toBe(code)
    expect(failureOf([...(plugin ?? [])])).toMatchObject({ code, retry: failure.retry })
  })

  it('give a call an id of its own that repeats the id of an earlier one', async () => {
    const taken = response({ calls: [{ callId: 'call_1', name: 'read', arguments: '{}' }] })
    const frames = framesOf[wireApi]({ calls: [{ id: 'call_1', name: 'read', arguments: { path: 'a' } }] }, 1)
    const answers = await bothOf(wireApi, name, streamOf(...frames), requestOf([taken, result('call_1')]))
    for (const events of answers) {
      const ids = events.flatMap((event) => (event.type === 'call' ? [event.callId] : []))
      expect(ids).toHaveLength(1)
      expect(ids).not.toContain('call_1')
    }
  })

  it('fail for an answer that ends without its final event', async () => {
    const whole = framesOf[wireApi]({ text: 'Looking.', calls: [{ name: 'read', arguments: { path: 'a' } }] }, 1)
    const final = whole.findIndex((frame) => /"(?:stop_reason":"|finishReason)/.test(frame))
    for (const events of await bothOf(wireApi, name, streamOf(...whole.slice(0, final))))
      expect(failureOf([...events])).toMatchObject({ code: 'streamCut', retry: 'short' })
  })

  it('fail for an answer that is cut', async () => {
    const cut = fixture(`${wireApi}-answer`).subarray(0, 400).toString('utf8')
    const [own, plugin] = await bothOf(
      wireApi,
      name,
      openStreamOf([cut], (response) => void response.destroy()),
    )
    expect([own?.at(-1)?.type, plugin?.at(-1)?.type]).toEqual(['failed', 'failed'])
  })
})
