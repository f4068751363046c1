import { eventVersion, type StoredEvent, upgradeEvent } from '@parley/protocol'
import { conversationEvent } from '@parley/protocol/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { envelopesOf, readFixtures } from './reduce-fixture.ts'

const upgraded = (event: StoredEvent) => upgradeEvent(event, 1)
const settings = { model: 'm', sandbox: 'workspace-write', writableRoots: [] }
const item = { id: 'i', type: 'commandExecution', title: 't' }
const approval = { id: 'a', kind: 'command', cwd: '/w' }

describe('an event of version 1', () => {
  it.each([
    ['A', 'full'],
    ['B', 'partial'],
    ['C', 'none'],
    ['D', 'none'],
  ])('has for tier %s the enforcement %s', (tier, enforcement) => {
    for (const type of ['conversation.created', 'conversation.configured'])
      expect(upgraded({ type, settings: { ...settings, tier } })).toEqual({
        type,
        settings: { ...settings, enforcement },
      })
  })

  it.each<[string, StoredEvent, StoredEvent]>([
    [
      'item.began',
      { type: 'item.began', itemId: 'i', attempt: 1 },
      { type: 'execution.started', itemId: 'i', attempt: 1 },
    ],
    [
      'item.attempted',
      { type: 'item.attempted', itemId: 'i', item: { ...item, status: 'failed', sandboxDenial: { paths: ['/x'] } } },
      { type: 'execution.failed', itemId: 'i', item: { ...item, status: 'failed', sandboxBlock: { paths: ['/x'] } } },
    ],
    [
      'item.started',
      { type: 'item.started', item: { ...item, status: 'declined' } },
      { type: 'item.started', item: { ...item, status: 'denied' } },
    ],
    [
      'item.completed',
      { type: 'item.completed', turnId: 't', item: { ...item, status: 'declined' } },
      { type: 'item.completed', turnId: 't', item: { ...item, status: 'denied' } },
    ],
    [
      'context.set',
      { type: 'context.set', tools: 'f1', environment: 'f2', adapter: 'a' },
      { type: 'context.set', tools: 'f1', sessionContext: 'f2', adapter: 'a' },
    ],
    [
      'approval.requested, of another machine',
      { type: 'approval.requested', approval: { ...approval, place: 'box' } },
      { type: 'approval.requested', approval: { ...approval, environment: 'box' } },
    ],
    [
      'approval.requested, with variables',
      { type: 'approval.requested', approval: { ...approval, place: 'box', environment: { A: '1' } } },
      { type: 'approval.requested', approval: { ...approval, environment: 'box', env: { A: '1' } } },
    ],
  ])('is translated: %s', (_name, before, after) => {
    const result = upgraded(before)
    expect(result).toEqual(after)
    expect(Object.keys(result)[0]).toBe('type')
    expect(upgradeEvent(before, eventVersion)).toBe(before)
  })

  it('is not changed by being translated', () => {
    const event = Object.freeze({ type: 'item.completed', item: Object.freeze({ ...item, status: 'declined' }) })
    expect(upgraded(event)).not.toBe(event)
  })
})

describe('an event of this version', () => {
  const fixtures = readFixtures().flatMap((fixture) => Object.values(envelopesOf(fixture)).flat())

  it('of every type comes back as the same object, whatever version its log is taken for', () => {
    const events = fixtures.map(({ event }): StoredEvent => ({ ...event }))
    const types = new Set(events.map(({ type }) => type))
    for (const { shape } of conversationEvent.options) expect(types).toContain(shape.type.value)
    for (const event of events)
      for (const version of [0, 1, eventVersion, eventVersion + 1]) expect(upgradeEvent(event, version)).toBe(event)
  })
})

describe('an event of an unknown type', () => {
  it('that a log may hold is taken without a failure, and keeps its type unless that has a new name', () => {
    const types = conversationEvent.options.map(({ shape }) => shape.type.value)
    const strange = fc.record({
      type: fc.constantFrom(...types, 'item.began', 'item.attempted', 'moon.landed', 'constructor'),
      item: fc.jsonValue(),
      settings: fc.jsonValue(),
      approval: fc.jsonValue(),
    })
    fc.assert(
      fc.property(strange, fc.integer({ min: -1, max: 4 }), (event, version) => {
        const { type } = upgradeEvent(event, version)
        expect([event.type, 'execution.started', 'execution.failed']).toContain(type)
      }),
    )
  })
})
