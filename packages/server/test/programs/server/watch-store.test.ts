import { expect, test } from 'vitest'
import { lookAtStore } from '../../../src/programs/server/watch-store.ts'

test('a store that goes away and comes back is reported once for both, and again not within a minute', () => {
  let [nowMs, awayMs]: [number, number | null] = [0, null]
  const said: string[] = []
  const store = {
    name: 'nats://a',
    get awayMs() {
      return awayMs
    },
  }
  const reports = {
    away: (name: string) => said.push(`${name} away at ${nowMs}`),
    back: (name: string) => said.push(`${name} back at ${nowMs}`),
  }
  const look = lookAtStore(store, reports, () => nowMs)
  const at = (ms: number, away: number | null) => {
    nowMs = ms
    awayMs = away
    look()
  }
  at(0, null)
  at(1000, 2000)
  at(2000, 3000)
  at(3000, null)
  // It comes and goes.
  at(5000, 2000)
  at(7000, null)
  at(50_000, 2000)
  at(61_000, 13_000)
  at(62_000, null)
  expect(said).toEqual([
    'nats://a away at 1000',
    'nats://a back at 3000',
    'nats://a away at 61000',
    'nats://a back at 62000',
  ])
})
