import { existsSync } from 'node:fs'
import { isLong } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Life, live, randomLife } from './support/random-life.ts'

/** `PARLEY_LIFE_SEED` chooses them. */
const seed = Number(process.env['PARLEY_LIFE_SEED'] ?? 20261129)
const [lives, acts] = isLong ? [60, 60] : [4, 14]
const atOnce = 3

async function replayAfter(life: Life): Promise<'replayed' | 'never began'> {
  let end: 'replayed' | 'never began' = 'never began'
  await live(life, async ({ place, conversationId }) => {
    if (!existsSync(place.path(conversationId))) return
    const client = await place.start().connect()
    const { difference, further, left } = await client.request('replay/run', { conversation: conversationId })
    expect({ difference, further, left }).toEqual({ difference: null, further: [], left: 0 })
    end = 'replayed'
  })
  return end
}

it(`${lives} conversations replay to their end whose servers are killed, ended and left among ${acts} acts of their users`, {
  timeout: lives * acts * 2000,
}, async () => {
  const left = [...fc.sample(randomLife(acts), { seed, numRuns: lives }).entries()]
  const ends: string[] = []
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [nth, life] = next
      const named = (cause: unknown) => Promise.reject(new Error(`life ${nth} of seed ${seed}`, { cause }))
      ends.push(await replayAfter(life).catch(named))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  expect(ends.filter((end) => end === 'replayed').length).toBeGreaterThan(lives / 2)
})
