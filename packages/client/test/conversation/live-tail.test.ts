import { expect, test } from 'vitest'
import { openTail } from '../../src/conversation/live-tail.ts'
import type { StoreListener } from '../../src/index.ts'
import { conversationId, named, stateAt } from '../fake-server.ts'

/** A tail without a gap, and what delivers events to it. */
function tailOfNothing() {
  const listeners = new Set<StoreListener>()
  const subscribe = (listener: StoreListener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const none = () => Promise.resolve()
  const store = { conversationId, state: stateAt(0), subscribe, refresh: none, moveTo: none, close: none }
  const tail = openTail(store, new AbortController().signal)
  tail.restart()
  const deliver = (seq: number, length: number) => {
    const envelope = { ...named(seq), event: { type: 'conversation.renamed' as const, name: 'n'.repeat(length) } }
    for (const listener of listeners) listener(envelope)
  }
  return { tail, deliver }
}

test('events that are long together leave a gap before they are many', () => {
  const { tail, deliver } = tailOfNothing()
  for (let seq = 1; seq <= 10; seq++) deliver(seq, 100_000)
  expect(tail.hasGap).toBe(false)
  deliver(11, 100_000)
  expect(tail.hasGap).toBe(true)
  expect([...tail.takeAll()]).toEqual([])
})

test('what was read makes room', () => {
  const { tail, deliver } = tailOfNothing()
  for (let seq = 1; seq <= 100; seq++) {
    deliver(seq, 100_000)
    expect([...tail.takeAll()]).toHaveLength(1)
  }
  expect(tail.hasGap).toBe(false)
})

test('one event is kept, however long it is', () => {
  const { tail, deliver } = tailOfNothing()
  deliver(1, 5_000_000)
  expect([...tail.takeAll()]).toHaveLength(1)
})

test('an event that came after the last look is not waited for', async () => {
  const { tail, deliver } = tailOfNothing()
  expect([...tail.takeAll()]).toEqual([])
  deliver(1, 1)
  await tail.changed()
  expect([...tail.takeAll()]).toHaveLength(1)
})
