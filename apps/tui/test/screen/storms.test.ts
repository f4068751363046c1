import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  after,
  answer,
  command,
  completed,
  requested,
  started,
  turnStarted,
  userMessage,
} from '../view/scenes/conversation.ts'
import { marks, marksIn, paragraphs } from './marked-paragraphs.ts'
import { random } from './seeded-random.ts'
import { arriving, stormWorld } from './storm-world.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const seeds = Array.from({ length: isLong ? 200 : 12 }, (_, index) => index + 1)
const count = 50

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance', 'Date'] }),
)
afterEach(() => void vi.useRealTimers())

describe('in a headless xterm', () => {
  test.each(seeds)('a storm of sizes while an answer arrives keeps each finished line once (seed %i)', async (seed) => {
    const next = random(seed)
    const size = { columns: 100, rows: 30 }
    using world = stormWorld({ size, next })
    let waitMs = 0
    for (const state of arriving(count, 12)) {
      world.controller.follow(state)
      await world.pass(5)
      waitMs -= 5
      if (waitMs > 0) continue
      world.resize({ columns: 50 + next(100), rows: 16 + next(34) })
      waitMs = next(4) === 0 ? 400 : 10 + next(50)
    }
    world.resize(size)
    await world.pass(1_500)
    const rows = world.transcript()
    expect(marksIn(rows)).toEqual(marks(count))
    expect(rows.join('\n').match(/gpt-5/g)).toHaveLength(1)
  })

  test.each(seeds.slice(0, 25))(
    'a storm of sizes over a long question leaves none of its rows (seed %i)',
    async (seed) => {
      const next = random(seed)
      const size = { columns: 80, rows: 24 }
      using world = stormWorld({ size, next })
      const detail = Array.from({ length: 40 }, (_, n) => `echo ${n} ${'and more '.repeat(n % 9)}`).join('\n')
      const answered = after(turnStarted, completed(userMessage('Go on.')), completed(answer(paragraphs(8))))
      const asked = after(
        turnStarted,
        completed(userMessage('Go on.')),
        completed(answer(paragraphs(8))),
        started(command(detail)),
        requested({ detail }),
      )
      world.controller.follow(asked)
      await world.pass(100)
      expect(world.transcript().join('\n')).toMatch(/Run this command/)
      for (let sizes = 0; sizes < 20; sizes++) {
        world.resize({ columns: 40 + next(100), rows: 12 + next(34) })
        await world.pass(next(4) === 0 ? 400 : 10 + next(50))
      }
      world.resize(size)
      await world.pass(1_000)
      world.controller.follow(answered)
      await world.pass(1_000)
      const rows = world.transcript()
      expect(marksIn(rows)).toEqual(marks(8))
      expect(rows.join('\n')).not.toMatch(/━━|yes|echo/)
    },
  )
})
