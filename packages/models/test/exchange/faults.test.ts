import { anthropicFrames, chatFrames, geminiFrames, responsesFrames, type Wire as WireName } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ClientPorts } from '../../src/port/client-ports.ts'
import { createModelClient } from '../../src/registry.ts'
import { openStreamOf, type Reply, refusalOf, startLoopback, streamOf } from '../support/loopback.ts'
import { collect, failureOf, providerAt, requestOf, response, textOf } from '../support/requests.ts'

const frames = { responses: responsesFrames, chat: chatFrames, anthropic: anthropicFrames, gemini: geminiFrames }
const wireNames = Object.keys(frames) as WireName[]

/** Refusals of each provider, in its own form. */
const refusals: Readonly<
  Record<WireName, { readonly limited: object; readonly overloaded: object; readonly tooLong: object }>
> = {
  responses: {
    limited: { error: { code: 'rate_limit_exceeded', message: 'Rate limit reached.' } },
    overloaded: { error: { code: 'server_is_overloaded', message: 'Busy.' } },
    tooLong: { error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window.' } },
  },
  chat: {
    limited: { error: { message: 'Too many requests', code: 429 } },
    overloaded: { error: { message: 'Busy', type: 'overloaded_error' } },
    tooLong: { error: { message: "This model's maximum context length is 8192 tokens.", code: 400 } },
  },
  anthropic: {
    limited: { type: 'error', error: { type: 'rate_limit_error', message: 'This request would exceed your limit.' } },
    overloaded: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    tooLong: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
    },
  },
  gemini: {
    limited: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your quota.' } },
    overloaded: { error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } },
    tooLong: {
      error: { code: 400, status: 'INVALID_ARGUMENT', message: 'The input token count (9) exceeds the maximum (8).' },
    },
  },
}

const answer = {
  text: 'Looking.',
  calls: [
    { name: 'read', arguments: { path: 'a' } },
    { name: 'read', arguments: { path: 'b' } },
  ],
}

describe.each(wireNames)('a provider on the %s wire', (wireApi) => {
  const whole = frames[wireApi](answer, 1)
  const final = whole.findIndex((frame) =>
    /"(?:finish_reason":"|stop_reason":"|finishReason|response\.completed)/.test(frame),
  )
  const { limited, overloaded, tooLong } = refusals[wireApi]

  async function ask(reply: Reply, provider = {}, limits: ClientPorts['limits'] = {}) {
    await using server = await startLoopback(reply)
    return await collect(createModelClient(providerAt(server.baseUrl, { wireApi, ...provider }), { env: {}, limits }))
  }

  const fails = async (...of: Parameters<typeof ask>) => failureOf(await ask(...of))

  it('answers whole', async () => {
    const events = await ask(streamOf(...whole))
    expect(textOf(events)).toBe('Looking.')
    expect(events.filter(({ type }) => type === 'call')).toHaveLength(2)
    expect(events.at(-1)?.type).toBe('completed')
  })

  it.each([
    ['in seconds', '2', 2_000, 'short'],
    ['as a date', new Date(Date.UTC(2026, 0, 1, 0, 0, 20)).toUTCString(), 20_000, 'short'],
    ['in years', '315360000', 315_360_000_000, 'long'],
  ])('that limits its users says how long to wait, %s', async (_how, wait, retryAfterMs, retry) => {
    const headers = { 'retry-after': wait, date: 'Thu, 01 Jan 2026 00:00:00 GMT' }
    const failure = await fails(refusalOf(429, limited, headers))
    expect(failure).toMatchObject({ code: 'rateLimited', retry, retryAfterMs, status: 429 })
  })

  it.each([500, 502, 503])('that fails with %i is asked again', async (status) => {
    expect(await fails(refusalOf(status, '<html>nginx</html>'))).toMatchObject({
      code: 'providerError',
      retry: 'short',
    })
  })

  it('that is overloaded is asked again later, whether it says so by a status or in the stream', async () => {
    expect(await fails(refusalOf(529, overloaded))).toMatchObject({ code: 'overloaded', retry: 'long' })
    const midway = [...whole.slice(0, 3), `data: ${JSON.stringify(overloaded)}\n\n`]
    expect(await fails(streamOf(...midway))).toMatchObject({ code: 'overloaded', retry: 'long' })
  })

  it('that resets the connection before its answer, or in it, is asked again', async () => {
    expect(await fails((reply) => reply.socket?.resetAndDestroy())).toMatchObject({
      code: 'connectionReset',
      retry: 'short',
    })
    const cut = openStreamOf(whole.slice(0, final), (reply) => reply.socket?.resetAndDestroy())
    expect(await fails(cut)).toMatchObject({ code: 'streamCut', retry: 'short' })
  })

  it('that ends without its final event has not answered, even after whole calls', async () => {
    expect(await fails(streamOf(...whole.slice(0, final)))).toMatchObject({ code: 'streamCut', retry: 'short' })
  })

  it('that never ends is cut off by size and by time', async () => {
    const endless: Reply = (reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      const write = () => {
        while (!reply.destroyed && reply.write(': and on\n'.repeat(1_000)));
      }
      reply.on('drain', write)
      write()
    }
    expect(await fails(endless, {}, { maxResponseBytes: 300_000 })).toMatchObject({ code: 'responseTooLarge' })
    expect(await fails(openStreamOf([whole[0] ?? '']), { streamIdleTimeoutMs: 60 })).toMatchObject({
      code: 'idleTimeout',
    })
  })

  it('whose stream is written unusually is read', async () => {
    const unusual = whole.map(
      (frame) => `: note\nid: 7\nretry: 10\n${frame.replaceAll('\r', '').replaceAll('\n', '\r')}`,
    )
    const unknown = 'event: tomorrow\ndata: {"type":"tomorrow","new":true}\n\n'
    const events = await ask(streamOf(...unusual.toSpliced(1, 0, unknown)))
    expect(textOf(events)).toBe('Looking.')
    expect(events.at(-1)?.type).toBe('completed')
  })

  it.each([
    ['data that is no JSON', 'data: {oops\n\n', 'malformedStream'],
    ['a line without an end', `data: ${'x'.repeat(5_000)}`, 'oversizedEvent'],
  ])('that sends %s fails', async (_what, text, code) => {
    const failure = await fails(streamOf(...whole.slice(0, 2), text), {}, { maxEventChars: 4_000 })
    expect(failure.code).toBe(code)
  })

  it('that redirects gets no key elsewhere', async () => {
    await using elsewhere = await startLoopback(streamOf(...whole))
    const failure = await fails(refusalOf(302, '', { location: `${elsewhere.baseUrl}/` }))
    expect(failure).toMatchObject({ code: 'redirect', retry: 'never' })
    expect(elsewhere.requests).toHaveLength(0)
  })

  it('that repeats the id of an earlier call gets a new one for it', async () => {
    const taken = response({ calls: [{ callId: 'call_1', name: 'read', arguments: '{}' }] })
    const again = frames[wireApi]({ calls: [{ id: 'call_1', name: 'read', arguments: { path: 'a' } }] }, 1)
    await using server = await startLoopback(streamOf(...again))
    const client = createModelClient(providerAt(server.baseUrl, { wireApi }), { env: {} })
    const events = await collect(client, requestOf([taken]))
    const ids = events.flatMap((event) => (event.type === 'call' ? [event.callId] : []))
    expect(ids).toHaveLength(1)
    expect(ids).not.toContain('call_1')
  })

  it('whose window is full says what to do', async () => {
    const failure = await fails(refusalOf(400, tooLong))
    expect(failure).toMatchObject({ code: 'contextTooLong', retry: 'never', message: expect.stringContaining('m1') })
  })

  it('that answers nothing, a web page or other JSON fails clearly', async () => {
    expect(await fails(streamOf())).toMatchObject({ code: 'streamCut', retry: 'short' })
    const page = '<!doctype html>\n<html><a href="https://x">Sign in</a></html>'
    const other = {
      code: 'unexpectedReply',
      retry: 'never',
      message: expect.stringMatching(/Check base_url and wire_api/),
    }
    expect(await fails(streamOf(page))).toMatchObject(other)
    expect(await fails(refusalOf(200, page, { 'content-type': 'text/plain' }))).toMatchObject(other)
    expect(await fails(refusalOf(200, { status: 'ok' }))).toMatchObject(other)
    expect(await fails(streamOf('data: {"status":"ok"}\n\n'))).toMatchObject(other)
    expect(await fails(refusalOf(200, page, { 'content-type': 'text/html' }))).toMatchObject({
      code: 'unexpectedReply',
    })
  })

  it.each(wireNames.filter((name) => name !== wireApi))(
    'that answers as on the %s wire is told apart',
    async (other) => {
      const failure = await fails(streamOf(...frames[other](answer, 1)))
      expect(failure).toMatchObject({ code: 'unexpectedReply', retry: 'never' })
      expect(failure.message).toContain(`as wire_api = "${other}" does, but the provider is set to "${wireApi}"`)
    },
  )
})
