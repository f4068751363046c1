import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { StorageError } from '@parley/journal'
import { faultyFiles, type Operation } from '@parley/journal/testing'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** Errors of a disk that may take writes again later. */
const passing =
  'ENOSPC EDQUOT EFBIG EIO EROFS EMFILE ENFILE ENOMEM EAGAIN EINTR EBUSY ETIMEDOUT EACCES EPERM ESTALE ENOLCK ENOTCONN EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH EREMOTEIO ENODEV ENXIO'.split(
    ' ',
  )
const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const errnos = isLong ? passing : ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'ENOLCK']

interface World {
  readonly place: TestPlace
  readonly client: TestClient
  readonly watched: Watched
  readonly disk: { errno: string | null; operation: Operation }
  /** Lets the held answer of the model go on. */
  readonly answer: () => void
}

/** Steps at which the disk fails, each left with trouble that is known. */
const steps: Readonly<Record<string, (world: World, fail: () => void) => Promise<void>>> = {
  async 'a message to an idle conversation'({ client, watched, answer }, fail) {
    answer()
    await watched.send('hi')
    await watched.turnEnded()
    fail()
    const { conversationId } = watched
    const input = [{ type: 'text' as const, text: 'refused' }]
    await client.refused('conversation/sendMessage', { conversationId, input })
  },
  async 'an answer'({ client, watched, answer }, fail) {
    await watched.send('hi')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half of'))
    fail()
    answer()
    await client.notice(({ code }) => code === 'storageFailed')
  },
  async 'a message that is queued'({ client, watched, answer }, fail) {
    await watched.send('hi')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half of'))
    fail()
    const { conversationId } = watched
    const input = [{ type: 'text' as const, text: 'refused' }]
    await client.refused('conversation/sendMessage', { conversationId, input, when: 'queue' })
    answer()
  },
}

async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  await using place = testPlace()
  const disk: World['disk'] = { errno: null, operation: 'write' }
  const gate = Promise.withResolvers<void>()
  const model = scriptedModel(
    { text: 'Half of', gate: gate.promise },
    { text: 'whole' },
    { text: 'more' },
    { text: 'z' },
  )
  const files = faultyFiles((operation) => (operation === disk.operation ? disk.errno : null)).files
  const { client, watched } = await place.talk({ files, model, clock: testClock() })
  await run({ place, client, watched, disk, answer: gate.resolve })
}

describe.each(Object.keys(steps))('trouble with the disk at %s', (step) => {
  it.each(errnos)('is seen as %s, leaves interrupts working and passes with the disk', async (errno) => {
    await withWorld(async ({ place, client, watched, disk, ...rest }) => {
      const { conversationId } = watched
      await steps[step]?.({ place, client, watched, disk, ...rest }, () => {
        disk.errno = errno
      })
      const { storage } = await client.request('conversation/read', { conversationId })
      expect(storage).toMatchObject({ errno, passing: true, message: expect.stringMatching(/./) })
      expect(await client.request('conversation/resume', { conversationId })).toMatchObject({ storage: { errno } })
      const isRunning = watched.state.core.turn !== null
      expect(await client.request('conversation/interrupt', { conversationId })).toEqual({ interrupted: isRunning })
      disk.errno = null
      await expect
        .poll(async () => (await client.request('conversation/read', { conversationId })).storage)
        .toBeUndefined()
      // It was shown, so its end is told.
      expect(await client.notice(({ code }) => code === 'storageRestored')).toMatchObject({ conversationId })
      await expect.poll(() => watched.state.core.turn).toBeNull()
      await watched.send('more')
      await watched.turnEnded()
      const seqs = place
        .logLines(conversationId)
        .slice(1)
        .map((line): number => JSON.parse(line).seq)
      expect(seqs).toEqual(watched.events.map(({ seq }) => seq))
    })
  })
})

it('a disk that is away for a look only is trouble that passes, too', async () => {
  await withWorld(async ({ client, watched, disk, answer }) => {
    answer()
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    disk.operation = 'look'
    disk.errno = 'EACCES'
    const input = [{ type: 'text' as const, text: 'refused' }]
    await client.refused('conversation/sendMessage', { conversationId, input })
    disk.errno = null
    await expect
      .poll(async () => (await client.request('conversation/read', { conversationId })).storage)
      .toBeUndefined()
    await watched.send('more')
    await watched.turnEnded()
  })
})

it('every errno of the class may pass', () => {
  const isFinal = passing.filter((code) => !new StorageError({ code, operation: 'write', path: 'x' }).retryable)
  expect(isFinal).toEqual([])
})
