import type { JetStreamManager } from '@nats-io/jetstream'
import { afterEach, expect, test, vi } from 'vitest'
import { watchLeaders } from '../../src/store/connection/watch-leaders.ts'

afterEach(() => {
  vi.useRealTimers()
})

test.each([
  ['never answers', () => new Promise<object>(() => undefined)],
  ['fails while its servers elect', () => Promise.reject(new Error('no leader'))],
  ['is answered for without a leader', () => Promise.resolve({ cluster: { leader: '' } })],
])('a stream that %s has no leader, until one answers', async (_how, info) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance'] })
  let isLed = true
  // narrowed: a look asks for nothing else
  const admin = {
    streams: {
      info: (name: string) => (isLed || name === 'B' ? Promise.resolve({ cluster: { leader: 'n' } }) : info()),
    },
  } as unknown as JetStreamManager
  using watch = watchLeaders(admin, ['A', 'B'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(watch.leaderless()).toEqual([])
  isLed = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(watch.leaderless()).toEqual(['A'])
  isLed = true
  await vi.advanceTimersByTimeAsync(10_000)
  expect(watch.leaderless()).toEqual([])
})
