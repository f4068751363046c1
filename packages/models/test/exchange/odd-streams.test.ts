import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { anthropicFrames, chatFrames, geminiFrames, responsesFrames, type Wire as WireName } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { createModelClient } from '../../src/registry.ts'
import { type Reply, startLoopback } from '../support/loopback.ts'
import { callsOf, collect, failureOf, providerAt, textOf } from '../support/requests.ts'

const frames = { responses: responsesFrames, chat: chatFrames, anthropic: anthropicFrames, gemini: geminiFrames }
const wireNames = Object.keys(frames) as WireName[]
const stream = { 'content-type': 'text/event-stream' }

const replyOf =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = stream): Reply =>
  (response) => {
    response.writeHead(200, headers)
    response.end(body)
  }

/** Forms in which gateways keep a connection open: each is no event by the standard. */
const nothings = {
  'data and a colon': 'data:\n\n',
  'data and a blank': 'data: \n\n',
  'data and two blanks': 'data:  \n\n',
  'data without a colon': 'data\n\n',
  'data of empty lines': 'data:\ndata:\n\n',
  'a name and empty data': 'event: ping\ndata:\n\n',
  'a name alone': 'event: keepalive\n\n',
  'an id alone': 'id: 7\n\n',
  'a time for retries alone': 'retry: 1000\n\n',
  'a comment': ': hi\n\n',
  'empty lines': '\n\n\n',
}

/** Other JSON types in which servers write indexes, ids and counts. */
const asOtherType = (text: string) =>
  text
    .replaceAll(/"((?:output_|content_|summary_)?index|\w*_tokens|\w+TokenCount)":(\d+)/g, '"$1":"$2"')
    .replaceAll(/"(id|call_id|item_id)":"[^"]*?(\d+)"/g, '"$1":$2')

const answer = {
  text: 'Looking.',
  calls: [
    { id: 'call_1', name: 'read', arguments: { path: 'a' } },
    { id: 'call_2', name: 'read', arguments: { path: 'b' } },
  ],
}

describe.each(wireNames)('a stream on the %s wire', (wireApi) => {
  const whole = frames[wireApi](answer, 1)

  async function ask(reply: Reply) {
    await using server = await startLoopback(reply)
    return await collect(createModelClient(providerAt(server.baseUrl, { wireApi }), { env: {} }))
  }

  it.each(Object.entries(nothings))('may have %s, which says nothing', async (_what, nothing) => {
    const expected = await ask(replyOf(whole.join('')))
    expect(await ask(replyOf(nothing + whole.join(nothing)))).toEqual(expected)
  })

  it('may write indexes, ids and counts as the other JSON type', async () => {
    const expected = await ask(replyOf(whole.join('')))
    const odd = asOtherType(whole.join(''))
    expect(odd).not.toBe(whole.join(''))
    const events = await ask(replyOf(odd))
    expect(textOf(events)).toBe('Looking.')
    expect(callsOf(events).map(({ name, arguments: written }) => [name, written])).toEqual(
      callsOf(expected).map(({ name, arguments: written }) => [name, written]),
    )
    expect(events.at(-1)).toMatchObject({ type: 'completed', usage: usageOf(expected), stop: 'stop' })
  })

  it.each(['application/json', 'text/plain; charset=utf-8', 'application/octet-stream', 'application/stream+json', ''])(
    'is read under the type "%s"',
    async (type) => {
      const expected = await ask(replyOf(whole.join('')))
      expect(await ask(replyOf(whole.join(''), type === '' ? {} : { 'content-type': type }))).toEqual(expected)
      expect(await ask(replyOf(`\uFEFF\r\n\r\n${whole.join('')}`, { 'content-type': type || 'x/y' }))).toEqual(expected)
    },
  )

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('in the encoding %s, which was not asked for, is named', async (encoding, encode) => {
    const headers = { ...stream, 'content-encoding': encoding }
    const failure = failureOf(await ask(replyOf(encode(whole.join('')), headers)))
    expect(failure).toMatchObject({ code: 'unexpectedReply', retry: 'never' })
    expect(failure.message).toContain(`the encoding ${encoding}`)
    const refused: Reply = (response) => {
      response.writeHead(500, headers)
      response.end(encode('{"error":{"message":"Oops"}}'))
    }
    expect(failureOf(await ask(refused)).message).toContain(`a text in ${encoding}, which was not asked for`)
  })

  it('may say that it has no encoding', async () => {
    const headers = { ...stream, 'content-encoding': 'identity' }
    expect(await ask(replyOf(whole.join(''), headers))).toEqual(await ask(replyOf(whole.join(''))))
  })
})

function usageOf(events: Awaited<ReturnType<typeof collect>>) {
  const last = events.at(-1)
  return last?.type === 'completed' ? last.usage : undefined
}

describe('an answer in one JSON text', () => {
  const part = (text: string, more = {}) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }],
  })

  it.each(['application/json', 'text/event-stream', 'text/plain'])(
    'may be a list of events, under the type %s',
    async (type) => {
      const body = JSON.stringify([part('Hel'), part('lo', { finishReason: 'STOP' })])
      await using server = await startLoopback(replyOf(body, { 'content-type': type }))
      const events = await collect(createModelClient(providerAt(server.baseUrl, { wireApi: 'gemini' }), { env: {} }))
      expect(textOf(events)).toBe('Hello')
      expect(events.at(-1)?.type).toBe('completed')
    },
  )

  it('may be longer than what is kept of lines that are no events', async () => {
    const content = 'x'.repeat(100_000)
    const body = JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] }, null, 2)
    await using server = await startLoopback(replyOf(body))
    const events = await collect(createModelClient(providerAt(server.baseUrl, { wireApi: 'chat' }), { env: {} }))
    expect(textOf(events)).toBe(content)
  })
})
