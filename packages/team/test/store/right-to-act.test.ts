import { STORE_TAKEN } from '@parley/journal'
import { expect, test, vi } from 'vitest'
import { awaitBytes } from '../../src/store/log/ship-log.ts'
import type { Claim } from '../../src/store/servers/owners.ts'
import { rightToAct } from '../../src/store/servers/right-to-act.ts'

function rightBy(holds: Claim['holds']) {
  let lapses = 0
  // As where a store answers slowly: each renewal comes so late that the lease may have ended.
  const nodes = {
    get lapses() {
      lapses += 1
      return lapses
    },
    renew: () => Promise.resolve(),
  }
  const claim: Claim = { epoch: 1, lapses: 0, holds, release: () => Promise.resolve() }
  return rightToAct({ claim, nodes, name: 'nats://a' }, awaitBytes(0))
}

test('what a slow store has just answered counts at the start of the effect', async () => {
  const right = rightBy(async () => true)
  await right.mayAct()
  expect(() => right.assertMayAct()).not.toThrow()
})

test('an answer that came while the process was paused is asked for again', async () => {
  const now = Date.now
  let aheadMs = 0
  using clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
  const answers = [true, false]
  const right = rightBy(async () => {
    aheadMs += 10_000
    return answers.shift() ?? false
  })
  await expect(right.mayAct()).rejects.toMatchObject({ code: STORE_TAKEN })
  expect(answers).toEqual([])
  expect(clock).toHaveBeenCalled()
})
