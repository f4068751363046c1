import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planNetworkWait, planRetry } from '../../src/failures/plan-retry.ts'
import type { ModelFailure } from '../../src/port/model-client.ts'

const limits = { requestMaxRetries: 4, streamMaxRetries: 5 }
const lost: ModelFailure = { code: 'connectionReset', message: '', retry: 'short' }
const cut: ModelFailure = { code: 'streamCut', message: '', retry: 'short' }
const busy: ModelFailure = { code: 'overloaded', message: '', retry: 'long' }

const random = fc.double({ min: 0, max: 0.999, noNaN: true })
const hint = fc.option(fc.integer({ min: 0, max: 10_000_000 }), { nil: undefined })
const failure = fc
  .record({
    code: fc.constantFrom('streamCut', 'rateLimited', 'unreachable', 'idleTimeout'),
    retry: fc.constantFrom('short', 'long', 'never'),
    retryAfterMs: hint,
  })
  .map(
    ({ code, retry, retryAfterMs }) =>
      ({ code, retry, message: '', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }) as ModelFailure,
  )

function ask(failures: readonly ModelFailure[], more: { random?: number; elapsedMs?: number } = {}) {
  return planRetry({ failures, limits, random: 0.5, elapsedMs: 0, ...more })
}

describe('the retry plan', () => {
  it('for any failures never undercuts the hint and never exceeds the budget', () => {
    const anyFailures = fc.array(failure, { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(anyFailures, random, fc.nat(2_000_000), (failures, chance, elapsedMs) => {
        const plan = planRetry({ failures, limits, random: chance, elapsedMs })
        if (plan.type === 'giveUp') return
        const newest = failures.at(-1)
        expect(newest?.retry).not.toBe('never')
        expect(plan.delayMs).toBeGreaterThanOrEqual(newest?.retryAfterMs ?? 0)
        expect(elapsedMs + plan.delayMs).toBeLessThanOrEqual(newest?.retry === 'long' ? 900_000 : 300_000)
        expect(plan.attempt).toBeLessThanOrEqual(plan.maxAttempts)
      }),
      // Most plans give up: of 100 all of them would now and then.
      { numRuns: runsOf(2000) },
    )
  })

  it('for any randomness waits at least half of the doubling step and at most all of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), random, (count, chance) => {
        const plan = ask(Array(count).fill(lost), { random: chance })
        const stepMs = 250 * 2 ** (count - 1)
        expect(plan).toMatchObject({ type: 'retry', attempt: count, maxAttempts: 4 })
        if (plan.type !== 'retry') return
        expect(plan.delayMs).toBeGreaterThanOrEqual(stepMs / 2)
        expect(plan.delayMs).toBeLessThanOrEqual(stepMs)
      }),
    )
  })

  it('counts requests without an answer and answers that broke off apart', () => {
    const mixed = [lost, lost, lost, lost, cut]
    expect(ask(mixed)).toMatchObject({ type: 'retry', attempt: 1, maxAttempts: 5 })
    expect(ask([...mixed, lost])).toEqual({ type: 'giveUp', because: 'attempts' })
  })

  it('ends after the allowed attempts of either kind', () => {
    expect(ask(Array(5).fill(lost))).toEqual({ type: 'giveUp', because: 'attempts' })
    expect(ask(Array(6).fill(cut))).toEqual({ type: 'giveUp', because: 'attempts' })
  })

  it('does not retry a failure that needs a change, nor no failure', () => {
    expect(ask([{ code: 'auth', message: '', retry: 'never' }])).toEqual({ type: 'giveUp', because: 'notRetryable' })
    expect(ask([])).toEqual({ type: 'giveUp', because: 'notRetryable' })
  })

  it('obeys a hint of minutes, and gives up on one of years', () => {
    expect(ask([{ ...busy, retryAfterMs: 600_000 }])).toMatchObject({ type: 'retry' })
    expect(ask([{ ...busy, retryAfterMs: 315_360_000_000 }])).toEqual({ type: 'giveUp', because: 'budget' })
  })

  it('waits longer where the provider is busy', () => {
    const [quick, slow] = [ask([lost]), ask([busy])]
    expect(quick.type === 'retry' && slow.type === 'retry' && slow.delayMs > quick.delayMs).toBe(true)
  })

  it('gives up when the budget of its class is used up', () => {
    expect(ask([lost], { elapsedMs: 300_000 })).toEqual({ type: 'giveUp', because: 'budget' })
    expect(ask([busy], { elapsedMs: 300_000 })).toMatchObject({ type: 'retry' })
  })
})

describe('the wait for a network that is away', () => {
  const patienceMs = 600_000
  const wait = (tries: number, elapsedMs = 0) => planNetworkWait({ tries, random: 0.999, elapsedMs, patienceMs }) ?? -1

  it('grows to half a minute', () => {
    const waits = Array.from({ length: 12 }, (_, index) => wait(index + 1))
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits[0]).toBe(250)
    expect(waits.at(-1)).toBe(29_985)
  })

  it('ends with one try at the end of the patience', () => {
    expect(wait(30, patienceMs - 4_000)).toBe(4_000)
    expect(planNetworkWait({ tries: 31, random: 0, elapsedMs: patienceMs, patienceMs })).toBeNull()
  })
})
