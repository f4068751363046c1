import { setImmediate as tick } from 'node:timers/promises'
import type { Envelope } from '@parley/protocol'
import { createMemoryTransportPair } from '@parley/rpc'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followEvents } from '../../src/conversation/follow-events.ts'
import type { StoreListener } from '../../src/index.ts'
import { type Client, type ConversationStore, connectClient } from '../../src/low-level.ts'
import { conversationId, fakeFarSide, named, stateAt } from '../fake-server.ts'

/** A server that records faster than it delivers, whose answers take their time, and a store that hears deliveries. */
async function unevenServer(pageSize: number) {
  const log: Envelope[] = []
  const listeners = new Set<StoreListener>()
  const replies: (() => void)[] = []
  let delivered = 0
  const [transport, far] = createMemoryTransportPair()
  fakeFarSide(far, {
    'conversation/readEvents': (params) =>
      new Promise((resolve) => {
        const { after } = params as { after: { seq: number } }
        const events = log.slice(after.seq, after.seq + pageSize)
        const more = after.seq + pageSize < log.length
        replies.push(() => resolve({ events, more }))
      }),
  })
  const client: Client = await connectClient({ transport, clientInfo: { name: 'a', version: '0' }, canApprove: false })
  const store: ConversationStore = {
    conversationId,
    state: stateAt(0),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh: () => Promise.resolve(),
    moveTo: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  const tell = (envelope: Envelope | null) => {
    for (const listener of listeners) listener(envelope)
  }
  return {
    client,
    store,
    log,
    listeners,
    record: (count: number) => {
      for (let n = 0; n < count; n++) log.push(named(log.length + 1))
    },
    deliver(count: number) {
      for (const envelope of log.slice(delivered, delivered + count)) tell(envelope)
      delivered = Math.min(log.length, delivered + count)
    },
    /** The server's state replaces ours: what led there is not delivered. */
    replace() {
      delivered = log.length
      tell(null)
    },
    answer: () => replies.shift()?.(),
  }
}

type UnevenServer = Awaited<ReturnType<typeof unevenServer>>

/** A reader that takes as many as it is told to. */
function pacedReader({ client, store }: UnevenServer, start: number) {
  const seen: number[] = []
  const ended = new AbortController()
  const pace = { left: 0 }
  const mayTake = () => pace.left-- > 0 || ended.signal.aborted
  const read = async () => {
    for await (const { seq } of followEvents({ client, store, ended: ended.signal }, { after: { seq: start } })) {
      seen.push(seq)
      while (!mayTake()) await tick()
    }
  }
  return { seen, pace, end: (reason: Error) => ended.abort(reason), reading: read() }
}

const count = fc.integer({ min: 1, max: 1500 })
const step = fc.oneof(
  count.map((n) => ({ record: n })),
  count.map((n) => ({ deliver: n })),
  count.map((n) => ({ take: n })),
  fc.constant({ replace: true }),
  fc.constant({ answer: true }),
)
type Step = Partial<Record<'record' | 'deliver' | 'take', number>> & { replace?: boolean; answer?: boolean }

test('a reader of any pace gets every event once and in order, whatever the server is slow with', async () => {
  const run = async (start: number, pageSize: number, steps: readonly Step[]) => {
    const server = await unevenServer(pageSize)
    server.record(start + 1)
    const reader = pacedReader(server, start)
    for (const { record = 0, deliver = 0, take, replace, answer } of steps) {
      server.record(record)
      server.deliver(deliver)
      if (take !== undefined) reader.pace.left = take
      if (replace) server.replace()
      if (answer) server.answer()
      await tick()
    }
    reader.pace.left = Number.POSITIVE_INFINITY
    for (let rounds = 0; reader.seen.at(-1) !== server.log.length && rounds < 5_000; rounds++) {
      server.deliver(500)
      server.answer()
      await tick()
    }
    expect(reader.seen).toEqual(server.log.map(({ seq }) => seq).slice(start))
    reader.end(new Error('enough'))
    await expect(reader.reading).rejects.toThrow('enough')
    expect(server.listeners.size).toBe(0)
    await server.client.close()
  }
  const pageSize = fc.integer({ min: 100, max: 600 })
  await fc.assert(fc.asyncProperty(fc.nat(5), pageSize, fc.array(step, { maxLength: 12 }), run), { numRuns: 100 })
})
