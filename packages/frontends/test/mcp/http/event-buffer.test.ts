import { expect, test } from 'vitest'
import { createEventBuffer, type EventBuffer } from '../../../src/mcp/http/event-buffer.ts'

const unasked = '_GET_stream'
const message = (n: number) => ({ jsonrpc: '2.0' as const, method: 'm', params: { n } })

async function replayed(buffer: EventBuffer, from: string | null): Promise<unknown[]> {
  const sent: unknown[] = []
  const send = async (_id: string, one: { params?: { [key: string]: unknown } }) => void sent.push(one.params?.['n'])
  await buffer.replayEventsAfter(from ?? 'none', {
    send: send as Parameters<EventBuffer['replayEventsAfter']>[1]['send'],
  })
  return sent
}

test('a stream continues after the last event id, without events of other streams', async () => {
  const buffer = createEventBuffer()
  const first = await buffer.storeEvent('a', message(1))
  await buffer.storeEvent('b', message(2))
  await buffer.storeEvent('a', message(3))
  expect(await buffer.getStreamIdForEventId?.(first)).toBe('a')
  expect(await replayed(buffer, first)).toEqual([3])
})

test('unrequested messages wait for a GET, and again after it has closed', async () => {
  const buffer = createEventBuffer()
  expect(buffer.waitingFrom).toBeNull()
  await buffer.storeEvent(unasked, message(1))
  await buffer.storeEvent('a', message(2))
  expect(await replayed(buffer, buffer.waitingFrom)).toEqual([1])
  buffer.opened()
  await buffer.storeEvent(unasked, message(3))
  expect(buffer.waitingFrom).toBeNull()
  buffer.closed()
  expect(buffer.waitingFrom).toBeNull()
  await buffer.storeEvent(unasked, message(4))
  expect(await replayed(buffer, buffer.waitingFrom)).toEqual([4])
})

test('a dropped event is unknown, not skipped', async () => {
  const buffer = createEventBuffer(200)
  const first = await buffer.storeEvent('a', message(1))
  for (let n = 2; n < 9; n += 1) await buffer.storeEvent('a', message(n))
  expect(await buffer.getStreamIdForEventId?.(first)).toBeUndefined()
  await expect(replayed(buffer, first)).rejects.toThrow('not kept')
})

test('an event that only numbers a stream is not sent again', async () => {
  const buffer = createEventBuffer()
  const first = await buffer.storeEvent('a', {} as ReturnType<typeof message>)
  await buffer.storeEvent('a', message(2))
  expect(await replayed(buffer, first)).toEqual([2])
})
