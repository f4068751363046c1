import type { ServerNotice } from '@parley/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { notifyStoreAway } from '../../../src/frontends/conversation/notify-store-away.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('who waits for an answer hears after a second that the store does not answer, once in each time that it is away', async () => {
  let goneAtMs: number | null = performance.now() - 60_000
  const store = {
    name: 'nats://a',
    get awayMs() {
      return goneAtMs === null ? null : performance.now() - goneAtMs
    },
  }
  const heard: ServerNotice[] = []
  const follow = notifyStoreAway(store, (notice) => void heard.push(notice))
  const answer = Promise.withResolvers<void>()
  follow(answer.promise)
  await vi.advanceTimersByTimeAsync(999)
  expect(heard).toEqual([])
  await vi.advanceTimersByTimeAsync(5000)
  follow(new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(5000)
  const said = { level: 'warning', code: 'storeAway', message: 'The store nats://a does not answer. Waiting for it.' }
  expect(heard).toEqual([said])
  goneAtMs = null
  await vi.advanceTimersByTimeAsync(5000)
  goneAtMs = performance.now()
  await vi.advanceTimersByTimeAsync(5000)
  expect(heard).toEqual([said, said])
})

it('who is answered in time, or waits while the store answers, hears nothing of it', async () => {
  const heard: ServerNotice[] = []
  const away = notifyStoreAway({ name: 'nats://a', awayMs: 60_000 }, (notice) => void heard.push(notice))
  away(Promise.resolve())
  away(Promise.reject(new Error('no')))
  notifyStoreAway({ name: 'nats://a', awayMs: null }, (notice) => void heard.push(notice))(new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(heard).toEqual([])
  expect(vi.getTimerCount()).toBe(1)
})
