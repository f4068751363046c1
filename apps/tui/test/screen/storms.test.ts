import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { arriving, random, stormWorld } from './storm-world.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const seeds = Array.from({ length: isLong ? 200 : 25 }, (_, index) => index + 1)
const paragraphs = 50

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance', 'Date'] }),
)
afterEach(() => void vi.useRealTimers())

function marks(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => [`B${n}b`, `E${n}e`]).flat()
}

describe('in a headless xterm', () => {
  test.each(seeds)('a storm of sizes while an answer arrives keeps each finished line once (seed %i)', async (seed) => {
    const next = random(seed)
    const size = { columns: 100, rows: 30 }
    using world = stormWorld({ size, next })
    let waitMs = 0
    for (const state of arriving(paragraphs, 12)) {
      world.controller.follow(state)
      await world.pass(5)
      waitMs -= 5
      if (waitMs > 0) continue
      world.resize({ columns: 50 + next(100), rows: 16 + next(34) })
      waitMs = next(4) === 0 ? 400 : 10 + next(50)
    }
    world.resize(size)
    await world.pass(1_500)
    const transcript = world.transcript()
    const rows = transcript.join('\n')
    expect(rows.match(/[BE]\d+[be]/g)).toEqual(marks(paragraphs))
    expect(rows.match(/gpt-5/g)).toHaveLength(1)
  })
})
