import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { ClientPorts } from '../../src/port/client-ports.ts'
import { createModelClient } from '../../src/registry.ts'
import { openStreamOf, type Reply, refusalOf, startLoopback, streamOf } from '../support/loopback.ts'
import { chatChunk, fixture, responsesEvent } from '../support/read-body.ts'
import { collect, failureOf, providerAt, requestOf, textOf } from '../support/requests.ts'

const DELTA = responsesEvent('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Half' })
const COMPLETED = responsesEvent('response.completed', { response: { output: [] } })

function clientAt(baseUrl: string, provider = {}, limits: ClientPorts['limits'] = {}) {
  return createModelClient(providerAt(baseUrl, provider), { env: {}, limits })
}

async function failureFrom(reply: Reply, provider = {}, limits: ClientPorts['limits'] = {}) {
  await using server = await startLoopback(reply)
  return failureOf(await collect(clientAt(server.baseUrl, provider, limits)))
}

describe('a response over HTTP', () => {
  it('streams to its end and sends what the wire wrote', async () => {
    await using server = await startLoopback(streamOf(fixture('responses-answer')))
    const events = await collect(clientAt(server.baseUrl))
    expect(textOf(events)).toBe('Héllo 漢字 👩‍💻!')
    expect(events.at(-1)?.type).toBe('completed')
    expect(JSON.parse(server.bodies[0] ?? '')).toMatchObject({ model: 'm1', stream: true, store: false })
    expect(server.requests[0]).toMatchObject({ url: '/v1/responses', headers: { accept: 'text/event-stream' } })
  })

  it('streams on the chat wire, with a slash at the end of the base URL', async () => {
    await using server = await startLoopback(streamOf(fixture('chat-answer')))
    const client = clientAt(`${server.baseUrl}/`, { wireApi: 'chat', queryParams: { 'api-version': '1' } })
    expect(textOf(await collect(client))).toBe('Héllo 漢字 👩‍💻!')
    expect(server.requests[0]?.url).toBe('/v1/chat/completions?api-version=1')
  })

  it('may be one JSON object', async () => {
    const message = { role: 'assistant', content: 'Hi' }
    await using server = await startLoopback(refusalOf(200, { choices: [{ message, finish_reason: 'stop' }] }))
    const events = await collect(clientAt(server.baseUrl, { wireApi: 'chat' }))
    expect(textOf(events)).toBe('Hi')
    expect(events.at(-1)).toMatchObject({ type: 'completed', parts: [message] })
  })

  it('keeps its connection for a later request', async () => {
    await using server = await startLoopback(streamOf(fixture('responses-answer')))
    const client = clientAt(server.baseUrl)
    const usesKeptConnection = async () => {
      const before = server.connected()
      await collect(client)
      return server.connected() === before
    }
    expect(await waitUntil(usesKeptConnection, { what: 'a request without a new connection' })).toBe(true)
  })

  it('is requested again at once when the server had closed a pooled connection', async () => {
    const known = new Set<unknown>()
    let cuts = 0
    const answer = streamOf(fixture('responses-answer'))
    await using server = await startLoopback((response, request, body) => {
      const isKept = known.has(request.socket)
      known.add(request.socket)
      if (!isKept) return answer(response, request, body)
      cuts += 1
      request.socket.destroy()
    })
    const client = clientAt(server.baseUrl)
    const ends = new Set<string | undefined>()
    const cutsOne = async () => {
      ends.add((await collect(client)).at(-1)?.type)
      return cuts > 0
    }
    await waitUntil(cutsOne, { what: 'a request on a kept connection' })
    expect([...ends]).toEqual(['completed'])
  })
})

describe('a provider that fails', () => {
  it('with 429 has its wait in the failure', async () => {
    const reply = refusalOf(429, { error: { message: 'Slow down' } }, { 'retry-after': '2' })
    expect(await failureFrom(reply)).toMatchObject({
      code: 'rateLimited',
      retry: 'short',
      retryAfterMs: 2000,
      status: 429,
    })
  })

  it.each([500, 502, 503])('with %d is worth another try', async (status) => {
    expect(await failureFrom(refusalOf(status, '<html>nginx</html>'))).toMatchObject({
      code: 'providerError',
      retry: 'short',
      status,
      message: 'Test provider is not answering.',
    })
  })

  it('with an endless error body is not read to its end', async () => {
    const failure = await failureFrom((response) => {
      response.writeHead(500)
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', write)
      write()
    })
    expect(failure.message.length).toBeLessThan(600)
  })

  it('by resetting before it answers is worth another try', async () => {
    const failure = await failureFrom((response) => response.socket?.resetAndDestroy())
    expect(failure).toMatchObject({ code: 'connectionReset', retry: 'short' })
  })

  it('by resetting in the middle of the text keeps the text that came', async () => {
    await using server = await startLoopback(openStreamOf([DELTA], (response) => response.socket?.resetAndDestroy()))
    const events = await collect(clientAt(server.baseUrl))
    expect(textOf(events)).toBe('Half')
    expect(failureOf(events)).toMatchObject({ code: 'streamCut', retry: 'short' })
  })

  it('by ending cleanly without the final event is cut, not complete', async () => {
    expect(await failureFrom(streamOf(DELTA))).toMatchObject({ code: 'streamCut', retry: 'short' })
  })

  it('by resetting after the final event has still completed', async () => {
    const pieces = [chatChunk({ content: 'Hi' }, 'stop')]
    await using server = await startLoopback(openStreamOf(pieces, (response) => response.socket?.resetAndDestroy()))
    expect((await collect(clientAt(server.baseUrl, { wireApi: 'chat' }))).at(-1)?.type).toBe('completed')
  })

  it('with malformed data is worth another try', async () => {
    expect(await failureFrom(streamOf('data: {oops\n\n'))).toMatchObject({ code: 'malformedStream', retry: 'short' })
  })

  it('with something that is not HTTP is worth another try', async () => {
    const failure = await failureFrom((response) => response.socket?.end('gibberish\r\n\r\n'))
    expect(failure).toMatchObject({ code: 'malformedStream', retry: 'short' })
  })

  it('with a web page is rejected', async () => {
    const failure = await failureFrom((response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end('<html>Sign in</html>')
    })
    expect(failure).toMatchObject({ code: 'unexpectedReply', retry: 'never' })
  })

  it('with a redirect is not followed', async () => {
    await using elsewhere = await startLoopback(streamOf(COMPLETED))
    const failure = await failureFrom(refusalOf(302, '', { location: `${elsewhere.baseUrl}/responses` }))
    expect(failure).toMatchObject({ code: 'redirect', retry: 'never' })
    expect(elsewhere.requests).toHaveLength(0)
  })

  it('by being unreachable is named with its address', async () => {
    const server = await startLoopback()
    await server[Symbol.asyncDispose]()
    const failure = failureOf(await collect(clientAt(server.baseUrl)))
    expect(failure).toMatchObject({ code: 'unreachable', retry: 'short' })
    expect(failure.message).toContain(`127.0.0.1:${server.port}`)
  })

  it('by not using TLS is not a network fault', async () => {
    await using server = await startLoopback()
    const failure = failureOf(await collect(clientAt(server.baseUrl.replace('http:', 'https:'))))
    expect(failure).toMatchObject({ code: 'tls', retry: 'never' })
    expect(failure.message).toContain('http://')
  })
})

describe('a provider that does not end', () => {
  const idle = { streamIdleTimeoutMs: 60 }

  it('silent before its answer, times out', async () => {
    expect(await failureFrom(() => {}, idle)).toMatchObject({ code: 'idleTimeout', retry: 'short' })
  })

  it('silent in the middle of its answer, times out', async () => {
    expect(await failureFrom(openStreamOf([DELTA]), idle)).toMatchObject({ code: 'idleTimeout' })
  })

  it('trickling bytes of one line, times out', async () => {
    const trickle: Reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(timer))
    }
    expect(await failureFrom(trickle, idle)).toMatchObject({ code: 'idleTimeout' })
  })

  it('sending deltas for ever, ends at the cap on bytes', async () => {
    const flood: Reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const write = () => {
        while (!response.destroyed && response.write(DELTA.repeat(100)));
      }
      response.on('drain', write)
      write()
    }
    const failure = await failureFrom(flood, {}, { maxResponseBytes: 500_000 })
    expect(failure).toMatchObject({ code: 'responseTooLarge', retry: 'never' })
  })

  it('sending deltas for ever, ends at the cap on time', async () => {
    const drip: Reply = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => response.write(DELTA), 5)
      response.on('close', () => clearInterval(timer))
    }
    expect(await failureFrom(drip, {}, { maxResponseMs: 60 })).toMatchObject({
      code: 'responseTooLong',
      retry: 'never',
    })
  })
})

describe('an abort', () => {
  const aborted = [{ type: 'aborted' }]

  it('before the start sends nothing', async () => {
    await using server = await startLoopback(streamOf(COMPLETED))
    expect(await collect(clientAt(server.baseUrl), requestOf(), AbortSignal.abort())).toEqual(aborted)
    expect(server.connected()).toBe(0)
  })

  it('while the headers are awaited leaves no socket open', async () => {
    const stop = new AbortController()
    await using server = await startLoopback(() => stop.abort())
    expect(await collect(clientAt(server.baseUrl), requestOf(), stop.signal)).toEqual(aborted)
    await waitUntil(() => server.open() === 0, { what: 'the socket to close' })
  })

  it('while an error body is read leaves no socket open', async () => {
    const stop = new AbortController()
    await using server = await startLoopback((response) => {
      response.writeHead(500)
      response.write('half of it', () => stop.abort())
    })
    expect(await collect(clientAt(server.baseUrl), requestOf(), stop.signal)).toEqual(aborted)
    await waitUntil(() => server.open() === 0, { what: 'the socket to close' })
  })

  it('while the stream is silent leaves no socket open', async () => {
    const stop = new AbortController()
    await using server = await startLoopback(openStreamOf([]))
    const collected = collect(clientAt(server.baseUrl), requestOf(), stop.signal)
    await waitUntil(() => server.bodies.length === 1, { what: 'the request' })
    stop.abort()
    expect(await collected).toEqual(aborted)
    await waitUntil(() => server.open() === 0, { what: 'the socket to close' })
  })

  it('between two deltas drops what has already arrived', async () => {
    const stop = new AbortController()
    await using server = await startLoopback(streamOf(DELTA.repeat(1_000), COMPLETED))
    const seen: string[] = []
    for await (const event of clientAt(server.baseUrl).stream(requestOf(), stop.signal)) {
      seen.push(event.type)
      if (seen.length === 3) stop.abort()
    }
    expect(seen).toEqual(['textDelta', 'textDelta', 'textDelta', 'aborted'])
    await waitUntil(() => server.open() === 0, { what: 'the socket to close' })
  })

  it('by leaving the loop closes the connection', async () => {
    await using server = await startLoopback(openStreamOf([DELTA]))
    for await (const event of clientAt(server.baseUrl).stream(requestOf(), new AbortController().signal)) {
      expect(event.type).toBe('textDelta')
      break
    }
    await waitUntil(() => server.open() === 0, { what: 'the socket to close' })
  })

  it('leaves no listener on the signal behind', async () => {
    const { signal } = new AbortController()
    const counts = { added: 0, removed: 0 }
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counts.added += 1
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counts.removed += 1
      remove(...args)
    }
    await using server = await startLoopback(streamOf(COMPLETED))
    await collect(clientAt(server.baseUrl), requestOf(), signal)
    expect(counts).toEqual({ added: 1, removed: 1 })
  })
})
