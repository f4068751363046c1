import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { type Files, nodeFiles, StorageError } from '@parley/journal'
import { smallDisk } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

function refusing(code: string, ...operations: (keyof Files)[]): Files {
  const refuse = (operation: keyof Files) => (path: string) => {
    throw new StorageError({ code, operation, path })
  }
  return { ...nodeFiles, ...Object.fromEntries(operations.map((operation) => [operation, refuse(operation)])) }
}

describe('a home that cannot be written', () => {
  it.each([
    ['EACCES', 'Check the owner of $PARLEY_HOME.'],
    ['EROFS', ': read-only file system).'],
  ])('is reported at the start of a conversation (%s)', async (code, hint) => {
    await using place = testPlace()
    const server = place.start({ files: refusing(code, 'makeFolder') })
    const client = await server.connect()
    const refused = await client.refused('conversation/create', { cwd: place.cwd })
    expect(refused).toMatchObject({
      number: -32009,
      code: 'storageFailed',
      message: expect.stringContaining(hint),
      detail: { errno: code },
    })
    await server.close()
  })

  it('is reported when no lock can be taken there', async () => {
    await using place = testPlace()
    const client = await place.start({ files: refusing('LOCK_UNAVAILABLE', 'lock') }).connect()
    expect(await client.refused('conversation/create', { cwd: place.cwd })).toMatchObject({ code: 'storageFailed' })
  })

  it('does not end a server that can read nothing when it begins to listen', async () => {
    await using place = testPlace()
    const files: Files = { ...nodeFiles, ...refusing('EMFILE', 'open') }
    const server = place.start({ files })
    expect(() => server.engine.listensAt({ socket: '/run/s', others: [] })).not.toThrow()
    const client = await server.connect()
    expect(await client.refused('conversation/create', { cwd: place.cwd })).toMatchObject({
      detail: { errno: 'EMFILE' },
    })
  })

  it('is reported when the log cannot be made, and the message can be sent again', async () => {
    await using place = testPlace()
    let isRefused = true
    const files: Files = {
      ...nodeFiles,
      open(path, access) {
        if (isRefused && path.endsWith('.jsonl') && access === 'createNew')
          throw new StorageError({ code: 'EACCES', operation: 'open', path })
        return nodeFiles.open(path, access)
      },
    }
    const { client, watched } = await place.talk({ files })
    const params = { conversationId: watched.conversationId, input: [{ type: 'text' as const, text: 'hi' }] }
    expect(await client.refused('conversation/sendMessage', params)).toMatchObject({
      code: 'storageFailed',
      message: expect.stringContaining('no permission'),
    })
    isRefused = false
    await client.request('conversation/sendMessage', params)
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })
})

describe('a full file system', () => {
  it('pauses the turn, which continues when there is room', { timeout: 60_000 }, async ({ skip }) => {
    await using place = testPlace()
    const sessions = join(place.root, '.parley', 'sessions')
    using disk = smallDisk(sessions, 256 * 1024)
    if (disk === null) return skip('mounting is not allowed here')
    const ballast = join(sessions, 'ballast')
    writeFileSync(ballast, Buffer.alloc(100 * 1024))
    const text = Array.from({ length: 40 }, (_, n) => `${n} `.padEnd(5000, 'x'))
    const model = scriptedModel({ text }, { text: 'short' })
    const { client, watched, server } = await place.talk({ model })
    await watched.send('go')
    const notice = await client.notice(({ code }) => code === 'storageFailed')
    expect(notice.message).toContain('The disk is full')
    rmSync(ballast)
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    const stored = place
      .logLines(watched.conversationId)
      .slice(1)
      .map((line) => JSON.parse(line).seq)
    expect(stored).toEqual(watched.events.map(({ seq }) => seq))
    await server.close()
  })
})
