import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expectValid } from '@parley/engine/test/support/valid-entries.ts'
import { expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const answers = [
  {
    reasoning: 'hm',
    text: ['I look ', 'at it.'],
    calls: [
      { name: 'list_dir', args: {} },
      { name: 'shell', args: { command: 'echo one' } },
      { name: 'shell', args: { command: 'echo two; sleep 0.01' } },
    ],
  },
  { text: 'Done.' },
]

it('an interrupt at any event ends the turn and each item once, and leaves a valid next request', {
  timeout: 60_000,
}, async () => {
  let last = 1
  for (let at = 1; at <= last; at++) {
    await using place = testPlace()
    const model = scriptedModel(...answers)
    const { client, watched } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    const { conversationId } = watched
    const interrupted = watched.until((_, events) => {
      if (events.length < at) return false
      void client.request('conversation/interrupt', { conversationId })
      return true
    })
    await watched.send('go')
    await Promise.race([interrupted, watched.turnEnded()])
    await watched.turnEnded()
    const events = watched.events.map(({ event }) => event)
    const started = events.flatMap((event) => (event.type === 'item.started' ? [event.item.id] : []))
    const closed = events.flatMap((event) => {
      if (event.type === 'item.discarded') return [event.itemId]
      return event.type === 'item.completed' ? [event.item.id] : []
    })
    expect(closed).toEqual([...new Set(closed)])
    expect(started.filter((id) => !closed.includes(id))).toEqual([])
    expect(events.filter(({ type }) => type === 'turn.ended')).toHaveLength(1)
    last = Math.max(last, events.length)
    await watched.send('go on')
    await watched.turnEnded()
    for (const { entries } of model.requests) expectValid(entries)
    expect(watched.state.core).toMatchObject({ turn: null, open: {} })
  }
  expect(last).toBeGreaterThan(15)
})
