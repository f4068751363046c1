import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { interceptDisk } from '@parley/testkit'
import { expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../engine/support/test-server.ts'

/** Lets each sync of the log of a conversation wait until the disk is there again. */
async function hungDisk(place: TestPlace) {
  const log: { path: string | null } = { path: null }
  const logs = new Map<unknown, string>()
  const back = Promise.withResolvers<void>()
  const interception = await interceptDisk(({ name, args: [target] }) => {
    if (name === 'open') return (fd) => void logs.set(fd, String(target))
    return name === 'fdatasync' && log.path !== null && logs.get(target) === log.path ? back.promise : undefined
  })
  return {
    hang(conversationId: string) {
      log.path = place.path(conversationId)
    },
    comeBack: back.resolve,
    [Symbol.dispose]: () => interception[Symbol.dispose](),
  }
}

it('a disk that does not end a sync is said, holds up no other conversation, and passes', async () => {
  await using place = testPlace()
  using disk = await hungDisk(place)
  const { client, watched, server } = await place.talk({
    model: scriptedModel({ text: 'A' }, { text: 'B' }, { text: 'C' }),
  })
  const { conversationId } = watched
  disk.hang(conversationId)
  await watched.send('one')
  const notice = await client.notice(({ code }) => code === 'storageFailed')
  expect(notice).toMatchObject({ conversationId, message: expect.stringContaining('does not answer') })
  expect(await client.request('conversation/read', { conversationId })).toMatchObject({ storage: { passing: true } })
  expect(watched.story().at(-1)).not.toContain('turn.ended')
  const other = await client.watch((await client.request('conversation/create', { cwd: place.cwd })).conversationId)
  await other.send('two')
  await other.turnEnded()
  disk.comeBack()
  await watched.turnEnded()
  await client.notice(({ code }) => code === 'storageRestored')
  await watched.send('three')
  await watched.turnEnded()
  await server.close()
})
