import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expect, it } from 'vitest'
import { passedOnStore } from '../../environments/support/passed-on-store.ts'
import { testPlace } from '../support/test-server.ts'

it('who only watches opens nothing, and is told which server has it', async () => {
  await using place = testPlace()
  const model = scriptedModel({ text: 'ok' })
  const first = await place.talk({ model, store: passedOnStore() })
  const { conversationId } = first.watched
  await first.watched.send('go')
  await first.watched.turnEnded()
  await first.server.close()

  const holders = [{ node: 'b', pid: 1, address: 'wss://b:7100', page: null, providers: [] }, null]
  const next = place.start({ model, store: { ...passedOnStore(), holder: async () => holders.shift() ?? null } })
  const client = await next.connect('watcher', { access: 'readOnly' })
  const refused = () => client.refused('conversation/resume', { conversationId })
  expect(await refused()).toMatchObject({
    code: 'liveElsewhere',
    detail: { conversationId, address: 'wss://b:7100' },
  })
  expect(await refused()).toMatchObject({ code: 'notPermitted' })
})
