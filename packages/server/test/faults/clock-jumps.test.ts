import { systemClock } from '@parley/engine/src/ports/clock-and-ids.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expect, it } from 'vitest'
import { testPlace } from '../engine/support/test-server.ts'

const years = 365 * 86_400_000

it('a clock that jumps between any two looks at it changes no order, no wait and no state', async () => {
  await using place = testPlace()
  let looks = 0
  const clock = {
    ...systemClock,
    now: () => Date.now() + ([0, 30 * years, -30 * years, 3_600_000].at((looks++ % 4) - 4) ?? 0),
  }
  const failure = { code: 'overloaded', retry: 'short', retryAfterMs: 10 } as const
  const call = { name: 'shell', args: { command: 'echo ran >> ran' } }
  const model = scriptedModel({ failure }, { calls: [call] }, { text: 'Done.' })
  const { watched, server } = await place.talk({ clock, model })
  await watched.send('go')
  await watched.decide('approved')
  await watched.turnEnded()
  expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  expect(place.read('ran')).toBe('ran\n')
  await server.close()
  const later = await place.start({ clock }).connect()
  await later.request('conversation/resume', { conversationId: watched.conversationId })
  const resumed = await later.watch(watched.conversationId)
  expect(resumed.items()).toEqual(watched.items())
})
