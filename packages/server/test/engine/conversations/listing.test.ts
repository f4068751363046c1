import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { sweepLeftovers } from '@parley/engine/src/limits/scratch.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { type Files, nodeFiles, StorageError } from '@parley/journal'
import { faultyFiles } from '@parley/journal/testing'
import { describe, expect, it } from 'vitest'
import { namesIn, type TestPlace, testPlace } from '../support/test-server.ts'

async function say(client: TestClient, place: TestPlace, text: string) {
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const watched = await client.watch(conversationId)
  await watched.send(text)
  await watched.turnEnded()
  return watched
}

describe('the list of conversations', () => {
  it('is sorted newest first and comes in pages', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) ids.unshift((await say(client, place, text)).conversationId)
    const first = await client.request('conversation/list', { limit: 2 })
    expect(first.conversations.map(({ title }) => title)).toEqual(['three', 'two'])
    expect(first.conversations[0]).toMatchObject({
      conversationId: ids[0],
      cwd: place.cwd,
      live: { pid: process.pid },
      archived: false,
    })
    const second = await client.request('conversation/list', { limit: 2, cursor: first.nextCursor ?? '' })
    expect(second).toMatchObject({ conversations: [{ title: 'one' }], nextCursor: null })
  })

  it('tells who follows it what other servers make, write and close, and nobody else', async () => {
    await using place = testPlace()
    const [follower, other] = await Promise.all([place.start().connect(), place.start().connect()])
    const titles = async () => {
      const { conversations } = await follower.request('conversation/list', { follow: true })
      return conversations.map(({ title, live }) => [title, live !== null])
    }
    expect(await titles()).toEqual([])
    const { conversationId } = await say(other, place, 'one')
    await expect.poll(() => follower.listChanges).toBeGreaterThan(0)
    await expect.poll(titles).toEqual([['one', true]])
    const before = follower.listChanges
    await other.request('conversation/rename', { conversationId, name: 'first' })
    await expect.poll(() => follower.listChanges, { timeout: 30_000 }).toBeGreaterThan(before)
    expect(other.listChanges).toBe(0)
  })

  it('marks conversations that a newer program wrote', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const { conversationId } = await say(client, place, 'one')
    await client.request('conversation/unstream', { conversationId })
    const lines = place.logLines(conversationId)
    const { format } = JSON.parse(lines[0] ?? '')
    const header = { format, minReader: 1000, conversationId }
    place.writeLog(conversationId, [JSON.stringify(header), ...lines.slice(1)])
    expect((await client.request('conversation/list', {})).conversations).toMatchObject([{ title: 'one', newer: true }])
  })

  it.each([100, 3_000, 200_000])('has the first line of a pasted message of %i lines as its title', async (lines) => {
    await using place = testPlace()
    const client = await place.start().connect()
    await say(client, place, `\n  first line\n${'more\n'.repeat(lines)}`)
    const { conversations } = await client.request('conversation/list', {})
    expect(conversations.map(({ title }) => title)).toEqual(['first line'])
  })

  it.each([
    ['begins with an empty line', '\n\n  fix the tests\nplease', 'fix the tests'],
    ['is long', 'é'.repeat(100), `${'é'.repeat(79)}…`],
  ])('shows the title that the conversation has when its first message %s', async (_, text, title) => {
    await using place = testPlace()
    const client = await place.start().connect()
    const { state } = await say(client, place, text)
    expect(state.core.meta.title).toBe(title)
    expect((await client.request('conversation/list', {})).conversations).toMatchObject([{ title }])
  })

  it('has a conversation whose first event is damaged, since that can be opened', async () => {
    await using place = testPlace()
    const server = place.start()
    const { conversationId } = await say(await server.connect(), place, 'one')
    await server.close()
    const [header = '', , ...others] = place.logLines(conversationId)
    place.writeLog(conversationId, [header, '\0'.repeat(99), ...others])
    const client = await place.start().connect()
    const { conversations } = await client.request('conversation/list', {})
    expect(conversations).toMatchObject([{ conversationId, title: 'one', cwd: '' }])
    expect(await client.request('conversation/resume', { last: true })).toMatchObject({ conversationId })
  })

  it('rejects a cursor it did not give', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    expect(await client.refused('conversation/list', { cursor: 'what' })).toMatchObject({
      number: -32602,
      code: 'badCursor',
    })
  })

  it('leaves out archived conversations until they are unarchived', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const { conversationId } = await say(client, place, 'one')
    await client.request('conversation/archive', { conversationId })
    expect((await client.request('conversation/list', {})).conversations).toEqual([])
    expect((await client.request('conversation/list', { archived: true })).conversations).toMatchObject([
      { archived: true },
    ])
    await client.request('conversation/unarchive', { conversationId })
    expect((await client.request('conversation/list', {})).conversations).toHaveLength(1)
  })

  it('can be limited to one folder, and shows names', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const { conversationId } = await say(client, place, 'one')
    await client.request('conversation/rename', { conversationId, name: 'my name' })
    expect((await client.request('conversation/list', { cwd: '/elsewhere' })).conversations).toEqual([])
    expect((await client.request('conversation/list', { cwd: place.cwd })).conversations).toMatchObject([
      { name: 'my name' },
    ])
  })

  it('shows the new name of a closed conversation, even when its folder is gone', async () => {
    await using place = testPlace()
    const first = place.start()
    const { conversationId } = await say(await first.connect(), place, 'one')
    await first.close()
    const { rmSync } = await import('node:fs')
    rmSync(place.cwd, { recursive: true })
    const client = await place.start().connect()
    await client.request('conversation/rename', { conversationId, name: 'later' })
    await client.request('conversation/archive', { conversationId })
    expect((await client.request('conversation/list', { archived: true })).conversations).toMatchObject([
      { name: 'later', live: null },
    ])
  })
})

describe('reading a conversation', () => {
  it('returns completed items in pages, also when the conversation is not open', async () => {
    await using place = testPlace()
    const first = place.start({ model: scriptedModel({ text: 'A' }, { text: 'B' }) })
    const watched = await say(await first.connect(), place, 'one')
    await watched.send('two')
    await watched.turnEnded()
    await first.close()
    const client = await place.start().connect()
    const { conversationId } = watched
    const newest = await client.request('conversation/read', { conversationId, limit: 2 })
    expect(newest).toMatchObject({ items: [{ item: { text: 'two' } }, { item: { text: 'B' } }], more: true })
    const before = newest.items[0]?.seq ?? 0
    const older = await client.request('conversation/read', { conversationId, before, limit: 2 })
    expect(older).toMatchObject({ items: [{ item: { text: 'one' } }, { item: { text: 'A' } }], more: false })
  })

  it('returns ranges of a side file', async () => {
    await using place = testPlace()
    const calls = [{ name: 'shell', args: { command: 'seq 1 5000' } }]
    const { client, watched } = await place.talk({ model: scriptedModel({ calls }) }, { sandbox: 'danger-full-access' })
    await watched.send('go')
    await watched.turnEnded()
    const item = watched.items()[1]
    const file = item?.type === 'commandExecution' ? (item.output?.file ?? '') : ''
    const { conversationId } = watched
    const part = await client.request('conversation/readFile', { conversationId, file, offset: 2, limit: 4 })
    expect(part).toEqual({ base64: Buffer.from('2\n3\n').toString('base64'), totalBytes: 23_893, nextOffset: 6 })
    const rest = await client.request('conversation/readFile', { conversationId, file, offset: 23_890 })
    expect(rest).toMatchObject({ nextOffset: null, totalBytes: 23_893 })
    const missing = { conversationId, file: `sha256:${'0'.repeat(64)}` }
    expect(await client.refused('conversation/readFile', missing)).toMatchObject({ code: 'itemNotFound' })
    expect(await client.refused('conversation/readFile', { conversationId, file: '../x' })).toMatchObject({
      code: 'itemNotFound',
    })
  })

  it('is rejected when the conversation is unknown', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    expect(await client.refused('conversation/read', { conversationId: 'x' })).toMatchObject({
      number: -32004,
      code: 'conversationNotFound',
    })
  })
})

describe('deleting a conversation', () => {
  it('removes all of its files and frees its lock', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const { conversationId } = await say(client, place, 'one')
    await client.request('conversation/delete', { conversationId })
    expect(readdirSync(place.path(conversationId, 'folder'))).toEqual([])
    expect((await client.request('conversation/list', {})).conversations).toEqual([])
    expect(await client.refused('conversation/delete', { conversationId })).toMatchObject({
      code: 'conversationNotFound',
    })
  })

  it('is done for every list by one rename, and finished at the next start where the disk fails half-way', async () => {
    await using place = testPlace()
    const disk = { fails: true }
    const files: Files = {
      ...nodeFiles,
      removeTree(path) {
        if (disk.fails && path.endsWith('.files')) throw new StorageError({ code: 'EIO', operation: 'remove', path })
        nodeFiles.removeTree(path)
      },
    }
    const client = await place.start({ files }).connect()
    const { conversationId } = await say(client, place, 'x'.repeat(20_000))
    const refused = await client.refused('conversation/delete', { conversationId })
    expect(refused).toMatchObject({ code: 'storageFailed', message: expect.stringContaining('at the next start') })
    expect((await client.request('conversation/list', {})).conversations).toEqual([])
    expect(existsSync(place.path(conversationId, 'sideFiles'))).toBe(true)
    expect(existsSync(place.path(conversationId, 'lock'))).toBe(false)
    await sweepLeftovers(nodeFiles, join(place.root, '.parley'))
    expect(namesIn(join(place.root, '.parley', 'sessions')).filter((name) => name.includes(conversationId))).toEqual([])
  })

  it.each(['rename', 'makeFolder', 'remove', 'removeTree'] as const)(
    'is all or nothing when %s fails',
    async (operation) => {
      await using place = testPlace()
      const disk = { fails: false }
      const files = faultyFiles((name) => (disk.fails && name === operation ? 'EIO' : null)).files
      const client = await place.start({ files }).connect()
      const { conversationId } = await say(client, place, 'x'.repeat(20_000))
      disk.fails = true
      await client.request('conversation/delete', { conversationId }).catch(() => undefined)
      disk.fails = false
      const { conversations } = await client.request('conversation/list', {})
      await sweepLeftovers(nodeFiles, join(place.root, '.parley'))
      const isThere = conversations.length === 1
      expect(existsSync(place.path(conversationId, 'sideFiles'))).toBe(isThere)
      if (isThere) await client.request('conversation/resume', { conversationId })
    },
  )

  it('makes room on a full disk', async () => {
    await using place = testPlace()
    const disk = { isFull: false }
    const files = faultyFiles((name) => (disk.isFull && name === 'makeFolder' ? 'ENOSPC' : null)).files
    const client = await place.start({ files }).connect()
    const { conversationId } = await say(client, place, 'one')
    disk.isFull = true
    await client.request('conversation/delete', { conversationId })
    expect(readdirSync(place.path(conversationId, 'folder'))).toEqual([])
  })

  it('is rejected while a turn is open', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ hang: true }) })
    await watched.send('hi')
    const { conversationId } = watched
    expect(await client.refused('conversation/delete', { conversationId })).toMatchObject({ code: 'turnInProgress' })
    expect(existsSync(place.path(conversationId))).toBe(true)
  })

  it('is rejected when it is live elsewhere, also when it is viewed here', async () => {
    await using place = testPlace()
    const { watched } = await place.talk()
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    const client = await place.start().connect()
    expect(await client.refused('conversation/delete', { conversationId })).toMatchObject({ code: 'liveElsewhere' })
    await client.request('conversation/resume', { conversationId, readOnly: true })
    expect(await client.refused('conversation/delete', { conversationId })).toMatchObject({ code: 'liveElsewhere' })
    expect(existsSync(place.path(conversationId))).toBe(true)
  })
})
