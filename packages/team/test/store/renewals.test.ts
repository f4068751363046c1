import type { KV } from '@nats-io/kv'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { holdLease } from '../../src/store/servers/nodes.ts'
import { isRenewalDue } from '../../src/store/servers/renewals.ts'

/** Time after which the library gives a question up, in ms. */
const requestMs = 4000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lease in a store that answers after a time, which the test sets. */
async function leaseIn() {
  const state = { answerMs: 0, sent: 0, waiting: 0, most: 0, moves: 0 }
  const put = async () => {
    const { answerMs } = state
    state.sent += 1
    state.waiting += 1
    state.most = Math.max(state.most, state.waiting)
    await new Promise((done) => setTimeout(done, Math.min(answerMs, requestMs)))
    state.waiting -= 1
    if (answerMs >= requestMs) throw new Error('no answer')
  }
  // narrowed: what a lease asks for
  const bucket = { put, delete: async () => undefined } as unknown as KV
  const holding = holdLease(bucket, async () => {
    state.moves += 1
  })
  await vi.advanceTimersByTimeAsync(0)
  const nodes = await holding
  await vi.advanceTimersByTimeAsync(10_000)
  return { state, nodes }
}

test.each([
  [0, 1],
  [1000, 2],
  [1400, 4],
  [2000, 4],
  [2200, 4],
])('a lease has no gap and its store is there while answers take %i ms', async (answerMs, mostEach) => {
  const { state, nodes } = await leaseIn()
  await using _ = nodes
  state.answerMs = answerMs
  await vi.advanceTimersByTimeAsync(10_000)
  const { lapses } = nodes
  expect(lapses).not.toBeNull()
  const seen = new Set<unknown>()
  state.sent = 0
  for (let look = 0; look < 600; look++) {
    await vi.advanceTimersByTimeAsync(100)
    seen.add(nodes.lapses).add(nodes.awayMs)
  }
  expect([...seen]).toEqual([lapses, null])
  expect(state.sent).toBeLessThanOrEqual(60 * mostEach)
})

test.each([0, 2000, 3900])(
  'a store that answered after %i ms and stops gets no more than 16 renewals at once',
  async (answerMs) => {
    const { state, nodes } = await leaseIn()
    await using _ = nodes
    state.answerMs = answerMs
    await vi.advanceTimersByTimeAsync(10_000)
    state.answerMs = requestMs
    await vi.advanceTimersByTimeAsync(20_000)
    expect([nodes.lapses, nodes.awayMs]).toEqual([null, expect.any(Number)])
    expect(state.most).toBeLessThanOrEqual(16)
    expect(state.moves).toBeGreaterThan(0)
    state.sent = 0
    await vi.advanceTimersByTimeAsync(60_000)
    expect(state.sent).toBe(60)
    state.answerMs = 0
    await vi.advanceTimersByTimeAsync(5000)
    expect([nodes.lapses, nodes.awayMs]).toEqual([expect.any(Number), null])
  },
)

test('what conversations renew holds up neither the beat nor the move to another server of the store', async () => {
  const { state, nodes } = await leaseIn()
  await using _ = nodes
  state.answerMs = requestMs
  for (let turn = 0; turn < 100; turn++) {
    void nodes.renew().catch(() => undefined)
    await vi.advanceTimersByTimeAsync(200)
  }
  expect(state.moves).toBeGreaterThan(0)
})

describe('a renewal', () => {
  test.each([
    ['after a beat', 1000, 1000, true],
    ['not before', 750, 1000, false],
    ['sooner while answers are late', 250, 1600, true],
    ['not sooner than a look', 0, 2000, false],
    ['after a beat where no answer comes', 250, 4100, false],
    ['then, too', 1000, 60_000, true],
  ])('is due %s', (_when, sinceMs, ageMs, isDue) => {
    expect(isRenewalDue(sinceMs, ageMs)).toBe(isDue)
  })
})
