import type { Client } from '@parley/client/low-level'
import type { ConversationEvent, Envelope } from '@parley/protocol'
import { expect, test } from 'vitest'
import type { EventMsg } from '../../../src/codex-events/event-msg.ts'
import { streamEvents } from '../../../src/mcp/turns/event-streams.ts'

/** A stream of a conversation up to a number, on a connection that says what the test hands it. */
function play(upToSeq: number) {
  const state: EventMsg[] = []
  const seen: string[] = []
  let listener: (envelope: Envelope) => void = () => undefined
  let closed = false
  const client: Pick<Client, 'onEvent' | 'request' | 'close'> = {
    onEvent: (_id, listens) => {
      listener = listens
      return () => undefined
    },
    request: () => new Promise(() => {}),
    close: async () => {
      closed = true
    },
  }
  const textOf = (msg: EventMsg) => ('message' in msg ? msg.message : msg.type)
  const stop = streamEvents({
    client: client as Client,
    conversationId: 'c',
    upToSeq,
    sink: {
      initialState(events) {
        state.push(...events.map(({ msg }) => msg))
        seen.push(`state ${events.map(({ msg }) => textOf(msg))}`)
      },
      live: (msg) => seen.push(`live ${textOf(msg)}`),
      event: () => undefined,
    },
  })
  const deliver = (seq: number, event: ConversationEvent) => listener({ conversationId: 'c', seq, at: 0, event })
  const say = (...seqs: number[]) => {
    for (const seq of seqs) deliver(seq, { type: 'item.completed', turnId: 't1', item: message(seq) })
  }
  return { state, seen, stop, deliver, say, isClosed: () => closed }
}

function message(seq: number) {
  const text = `m${seq}`
  return { id: `i${seq}`, type: 'agentMessage', status: 'completed', title: text, text } as const
}

test('events up to the call are the initial state, later ones are live', () => {
  const { seen, say } = play(2)
  say(1, 2, 3)
  expect(seen).toEqual(['state m1,m2', 'live m3'])
})

test('an empty conversation has its state at once', () => {
  expect(play(0).seen).toEqual(['state '])
})

test('a damaged log that lacks the last number of the state is streamed all the same', () => {
  const { seen, say } = play(3)
  say(1, 2, 4, 5)
  expect(seen).toEqual(['state m1,m2', 'live m4', 'live m5'])
})

test('an event on its way is not delivered after the cancellation', () => {
  const { seen, stop, say, isClosed } = play(1)
  say(1, 2)
  stop()
  say(3)
  expect(seen).toEqual(['state m1', 'live m2'])
  expect(isClosed()).toBe(true)
})

test('an initial state that is too long for a line has its output cut and marked', () => {
  const count = 400
  const { state, deliver } = play(count * 2)
  const output = { head: 'x'.repeat(30_000), tail: '', totalBytes: 30_000, omittedBytes: 0 }
  for (let n = 1; n <= count; n += 1) {
    const shown = { id: `i${n}`, title: 'x', text: 'x', command: 'x', cwd: '/w', type: 'shellCommand' } as const
    deliver(n * 2 - 1, { type: 'item.started', item: { ...shown, status: 'inProgress' } })
    deliver(n * 2, { type: 'item.completed', item: { ...shown, status: 'completed', output } })
  }
  expect(state.filter(({ type }) => type === 'exec_command_end')).toHaveLength(count)
  const text = JSON.stringify(state)
  expect(text.length).toBeLessThan(8 << 20)
  expect(text).toContain('[… 29500 characters left out …]')
})
