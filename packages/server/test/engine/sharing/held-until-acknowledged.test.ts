import type { Shipment } from '@parley/engine/shared-store'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { STORE_GONE, StorageError } from '@parley/journal'
import { expect, test, vi } from 'vitest'
import { storeThat } from '../../environments/support/passed-on-store.ts'
import { testPlace } from '../support/test-server.ts'

/** Store that is away from the first line on, until it is told to come back. */
function awayStore() {
  let back = Promise.withResolvers<void>()
  let trouble: StorageError | null = null
  let isBack = false
  const shipment: Shipment = {
    epoch: 1,
    row: null,
    wrote() {
      if (!isBack) trouble = new StorageError({ code: STORE_GONE, operation: 'write to', path: 'nats://test' })
    },
    describe: () => undefined,
    acknowledged: () => back.promise,
    mayAct: async () => undefined,
    assertMayAct: () => undefined,
    taken: () => undefined,
    get trouble() {
      return trouble
    },
    close: async () => undefined,
  }
  const store = storeThat(() => shipment)
  return {
    store,
    /** Takes what is written, and acknowledges nothing until it comes back. */
    goAway() {
      back = Promise.withResolvers()
    },
    comeBack() {
      isBack = true
      trouble = null
      back.resolve()
    },
  }
}

test('nothing is shown and no request is answered before the store has acknowledged it, and that is said', async () => {
  await using place = testPlace()
  const { store, comeBack } = awayStore()
  const { client, watched, server } = await place.talk({
    store,
    model: scriptedModel({ text: 'A' }),
    clock: testClock(),
  })
  const { conversationId } = watched
  const told: string[] = []
  server.engine.host.get(conversationId).conversation.watch(({ type }) => told.push(type))
  let answered = false
  const sent = watched.send('one').then(() => {
    answered = true
  })
  const notice = await client.notice(({ code }) => code === 'storageFailed')
  expect(notice).toMatchObject({ conversationId, message: expect.stringContaining('the store cannot be reached') })
  expect(watched.events).toEqual([])
  expect(told).toEqual([])
  expect(answered).toBe(false)
  comeBack()
  await sent
  await watched.turnEnded()
  expect(told).toEqual(watched.events.map(({ event }) => event.type))
  expect(place.logLines(conversationId)).toHaveLength(watched.events.length + 1)
  await server.close()
})

test('nothing that is recorded together with the end of a turn is shown before the store has acknowledged it', async () => {
  await using place = testPlace()
  const { store, comeBack, goAway } = awayStore()
  comeBack()
  const model = scriptedModel({ text: 'A', hang: true })
  const { client, watched, server } = await place.talk({ store, model, clock: testClock() })
  const { conversationId } = watched
  await watched.send('one')
  const { conversation } = server.engine.host.get(conversationId)
  await vi.waitFor(() => expect(model.requests).toHaveLength(1))
  await watched.until(({ core }) => Object.keys(core.open)[0])
  goAway()
  const before = conversation.feed.published
  const stopped = client.request('conversation/interrupt', { conversationId })
  await vi.waitFor(() => expect(conversation.state.core.turn).toBeNull())
  expect(conversation.state.core.seq).toBeGreaterThan(before + 1)
  expect(conversation.feed.published).toBe(before)
  comeBack()
  await stopped
  await watched.turnEnded()
  await server.close()
})
