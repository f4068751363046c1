import { waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { holdResponse } from '../../../src/mcp/http/event-buffer.ts'

const limitBytes = 10
const bytes = (count: number) => new Uint8Array(count)

interface Source {
  isCancelled: boolean
  say(chunk: Uint8Array): void
  end(): void
}

/** A response that says what the test hands it, to a client that reads when the test does. */
function hold() {
  const { promise: closed, resolve: leave } = Promise.withResolvers<void>()
  const source: Source = { isCancelled: false, say: () => {}, end: () => {} }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      source.say = (chunk) => controller.enqueue(chunk)
      source.end = () => controller.close()
    },
    cancel() {
      source.isCancelled = true
    },
  })
  const { response, unreadBytes } = holdResponse(new Response(body, { status: 201 }), { closed, limitBytes })
  const until = (count: number) => waitUntil(() => unreadBytes() === count, { what: `${count} unread bytes` })
  return { source, response, until, leave }
}

test('a response arrives whole, and its unread bytes are counted', async () => {
  const { source, response, until } = hold()
  source.say(bytes(3))
  source.say(bytes(4))
  await until(7)
  source.end()
  expect(response.status).toBe(201)
  expect((await response.bytes()).length).toBe(7)
  await until(0)
})

test('a client with too many unread bytes loses the stream, and nothing is held for it', async () => {
  const { source, response, until } = hold()
  for (const count of [6, 6, 6]) source.say(bytes(count))
  await waitUntil(() => source.isCancelled, { what: 'the end of the source' })
  await expect(response.bytes()).rejects.toThrow('does not read')
  await until(0)
})

test('the source ends with the connection', async () => {
  const { source, leave } = hold()
  leave()
  expect(await waitUntil(() => source.isCancelled, { what: 'the end of the source' })).toBe(true)
})
