import type { Client } from '@parley/client'
import type { ConversationEvent, Envelope } from '@parley/protocol'
import { expect, test } from 'vitest'
import { streamEvents } from '../../../src/faces/mcp/turns/event-stream.ts'

const said = (seq: number): Envelope => {
  const text = `m${seq}`
  const item = { id: `i${seq}`, type: 'agentMessage', status: 'completed', title: text, text } as const
  const event: ConversationEvent = { type: 'item.completed', turnId: 't1', item }
  return { conversationId: 'c', seq, at: 0, event }
}

/** A stream up to a number, fed by hand. */
function feed(upToSeq: number) {
  const seen: string[] = []
  let deliver: (envelope: Envelope) => void = () => undefined
  let closed = false
  const client: Pick<Client, 'onEvent' | 'request' | 'close'> = {
    onEvent: (_id, listener) => {
      deliver = listener
      return () => undefined
    },
    request: () => new Promise(() => {}),
    close: async () => {
      closed = true
    },
  }
  const stream = streamEvents({
    client: client as Client,
    conversationId: 'c',
    upToSeq,
    sink: {
      initialState: (events) =>
        seen.push(`state ${events.map(({ msg }) => ('message' in msg ? msg.message : msg.type))}`),
      live: (msg) => seen.push(`live ${'message' in msg ? msg.message : msg.type}`),
      event: () => undefined,
    },
  })
  return {
    seen,
    stream,
    deliver: (...seqs: number[]) => seqs.forEach((seq) => void deliver(said(seq))),
    isClosed: () => closed,
  }
}

test('what is numbered up to the call is the state, the rest is live', () => {
  const { seen, deliver } = feed(2)
  deliver(1, 2, 3)
  expect(seen).toEqual(['state m1,m2', 'live m3'])
})

test('an empty conversation has its state at once', () => {
  expect(feed(0).seen).toEqual(['state '])
})

test('a damaged log that lacks the last number of the state is streamed all the same', () => {
  const { seen, deliver } = feed(3)
  deliver(1, 2, 4, 5)
  expect(seen).toEqual(['state m1,m2', 'live m4', 'live m5'])
})

test('what was on its way when the stream was cancelled is not delivered', () => {
  const { seen, stream, deliver, isClosed } = feed(1)
  deliver(1, 2)
  stream.stop()
  deliver(3)
  expect(seen).toEqual(['state m1', 'live m2'])
  expect(isClosed()).toBe(true)
})
