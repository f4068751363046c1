import type { Conversation } from '@parley/engine/src/conversation/conversation.ts'
import { createEventFeed } from '@parley/engine/src/conversation/event-feed.ts'
import type { Line } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { createEgress } from '../../../src/frontends/conversation/egress.ts'

const readable = { mayRead: () => true, onLost: () => undefined }

function lineOf(seq: number, pad: string): Line {
  const text = JSON.stringify({ seq, pad })
  return { seq, type: 'x', crc: null, text, elidedText: text }
}

/** A client that reads when told to, and a log that holds every line. */
function scene() {
  const log: Line[] = []
  const feed = createEventFeed(0)
  const sent: string[] = []
  const faults: unknown[] = []
  let buffered = 0
  let waiting = Promise.withResolvers<void>()
  const state = { reads: 0, broken: false }
  const peer = {
    sendLine(line: string) {
      sent.push(line)
      buffered += line.length
    },
    get bufferedBytes() {
      return buffered
    },
    drained: () => (buffered <= 1 << 20 ? Promise.resolve() : waiting.promise),
  }
  const conversation = {
    id: 'c',
    feed,
    async *olderLines(seq: number) {
      state.reads++
      if (state.broken) throw new Error('the disk')
      for (let at = seq; at < log.length; at += 10) {
        await Promise.resolve()
        yield log.slice(at, at + 10)
      }
    },
  } as unknown as Conversation
  return {
    state,
    sent,
    faults,
    egress: createEgress(peer, conversation, { ...readable, onFault: (fault) => faults.push(fault) }),
    record(count: number, size = 100) {
      for (let n = 0; n < count; n++) {
        log.push(lineOf(log.length + 1, 'x'.repeat(size)))
        feed.append(log.slice(-1))
      }
    },
    feed,
    bufferedBytes: () => buffered,
    read() {
      buffered = 0
      waiting.resolve()
      waiting = Promise.withResolvers()
    },
    seqs: () => sent.map((line) => JSON.parse(line).params.seq),
  }
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const settle = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('delivery to one client', () => {
  it('sends each new event at once', () => {
    const { egress, record, seqs, state } = scene()
    egress.start(0)
    record(3)
    expect([seqs(), state.reads]).toEqual([upTo(3), 0])
  })

  it('starts after the given cursor', () => {
    const { egress, record, seqs } = scene()
    record(5)
    egress.start(3)
    record(1)
    expect(seqs()).toEqual(upTo(6, 4))
  })

  it('holds back what a client does not read, and sends all of it in order when it reads again', async () => {
    const { egress, record, read, seqs, bufferedBytes, state } = scene()
    egress.start(0)
    record(500, 20_000)
    await settle()
    expect(bufferedBytes()).toBeLessThan(1.5 * (1 << 20))
    for (let n = 0; n < 20; n++) {
      read()
      await settle()
    }
    expect(seqs()).toEqual(upTo(500))
    expect(state.reads).toBeGreaterThan(0)
    record(2)
    expect(seqs()).toEqual(upTo(502))
  })

  it('never sends what is not published yet', async () => {
    const { egress, record, feed, seqs, read } = scene()
    egress.start(0)
    record(200, 20_000)
    feed.hold(201)
    record(50, 20_000)
    for (let n = 0; n < 20; n++) {
      read()
      await settle()
    }
    expect(seqs()).toEqual(upTo(200))
    feed.release(201)
    for (let n = 0; n < 5; n++) {
      read()
      await settle()
    }
    expect(seqs()).toEqual(upTo(250))
  })

  it('stops for good', async () => {
    const { egress, record, read, seqs } = scene()
    egress.start(0)
    record(200, 20_000)
    const before = seqs().length
    egress.stop()
    read()
    record(5)
    await settle()
    egress.start(0)
    expect(seqs()).toHaveLength(before)
  })

  it('reports an unreadable log and stops', async () => {
    const { egress, record, read, faults, state } = scene()
    egress.start(0)
    record(300, 20_000)
    state.broken = true
    read()
    await settle()
    await settle()
    expect(faults).toEqual([new Error('the disk')])
    record(1)
  })

  it('waits for events that are not yet on disk without polling the log', async () => {
    const line = lineOf(13, '')
    const feed = createEventFeed(10)
    const sent: string[] = []
    let reads = 0
    const conversation = {
      id: 'c',
      feed,
      async *olderLines() {
        reads++
        await Promise.resolve()
        yield [line]
      },
    } as unknown as Conversation
    const peer = { sendLine: (text: string) => sent.push(text), bufferedBytes: 0, drained: () => Promise.resolve() }
    createEgress(peer, conversation, { ...readable, onFault: () => undefined }).start(10)
    // Lines 11 and 12 were damaged: what is published ends between two lines.
    feed.hold(13)
    feed.append([line])
    await settle()
    expect([reads, sent]).toEqual([1, []])
    feed.release(13)
    await settle()
    expect(sent).toHaveLength(1)
  })
})
