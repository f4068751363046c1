import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createTextSearch } from '@parley/engine/src/search/text-search.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { nodeFiles } from '@parley/journal'
import type { ParamsOf } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

async function say(client: TestClient, place: TestPlace, text: string): Promise<string> {
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  const watched = await client.watch(conversationId)
  await watched.send(text)
  await watched.turnEnded()
  return conversationId
}

const indexOf = (place: TestPlace) => join(place.root, '.parley', 'sessions', 'search.sqlite')

async function search(client: TestClient, query: string, more: Partial<ParamsOf<'conversation/search'>> = {}) {
  return client.request('conversation/search', { query, waitMs: 5000, ...more })
}

async function idsOf(client: TestClient, query: string, more: Partial<ParamsOf<'conversation/search'>> = {}) {
  return (await search(client, query, more)).found.map(({ conversation }) => conversation.conversationId)
}

describe('the search for conversations', () => {
  it('finds messages, the newest conversation first, and shows the place', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const first = await say(client, place, 'why does the Kafka consumer\n  stall?')
    const second = await say(client, place, 'kafka again')
    await say(client, place, 'something else')
    const result = await search(client, 'kafka')
    expect(result).toMatchObject({ total: 2, unread: 0, leftOut: 0 })
    expect(result.found.map(({ conversation }) => conversation.conversationId)).toEqual([second, first])
    expect(result.found[1]).toMatchObject({
      items: 1,
      conversation: { cwd: place.cwd, title: 'why does the Kafka consumer' },
      excerpt: { from: 'user', before: 'why does the ', words: 'Kafka', after: ' consumer stall?' },
    })
  })

  it('finds answers, commands with their output, diffs and names', async () => {
    await using place = testPlace()
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+gazelle\n*** End Patch'
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'echo zebra; echo ya""k' } }] },
      { calls: [{ name: 'apply_patch', args: { patch } }] },
      { text: 'the answer is heron' },
    )
    const { client, watched } = await place.talk({ model }, { sandbox: 'danger-full-access', approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    await client.request('conversation/rename', { conversationId: watched.conversationId, name: 'the ibex one' })
    const from = async (word: string) => (await search(client, word)).found.map(({ excerpt }) => excerpt.from)
    expect([await from('zebra'), await from('yak'), await from('gazelle')]).toEqual([['call'], ['call'], ['call']])
    expect([await from('heron'), await from('ibex')]).toEqual([['model'], ['name']])
  })

  it('is limited to a folder, to archived ones or the others, and to a number', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const [one, two] = [await say(client, place, 'needle one'), await say(client, place, 'needle two')]
    await client.request('conversation/archive', { conversationId: one })
    expect(await idsOf(client, 'needle')).toHaveLength(2)
    expect(await idsOf(client, 'needle', { archived: true })).toEqual([one])
    expect(await idsOf(client, 'needle', { archived: false })).toEqual([two])
    expect(await idsOf(client, 'needle', { cwd: '/elsewhere' })).toEqual([])
    expect(await search(client, 'needle', { limit: 1 })).toMatchObject({ total: 2, found: [{}] })
  })

  it('has what was said since the last one, and says what it did not read yet', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const id = await say(client, place, 'before')
    expect(await search(client, 'before', { waitMs: 0 })).toMatchObject({ found: [], unread: 1 })
    expect(await idsOf(client, 'before')).toEqual([id])
    const watched = await client.watch(id)
    await watched.send('afterwards')
    await watched.turnEnded()
    expect(await idsOf(client, 'afterwards')).toEqual([id])
  })

  it('fills its index in the background after a request without words', async () => {
    await using place = testPlace()
    const home = join(place.root, '.parley')
    const search = createTextSearch({ files: nodeFiles, home })
    const client = await place.start({ search }).connect()
    const id = await say(client, place, 'in the background')
    expect(await client.request('conversation/search', { query: ' ', waitMs: 0 })).toMatchObject({ unread: 1 })
    await search.settled()
    const { found } = await client.request('conversation/search', { query: 'background', waitMs: 0 })
    expect(found.map(({ conversation }) => conversation.conversationId)).toEqual([id])
  })

  it('makes no index before it is asked for, and forgets a deleted conversation', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const [one, two] = [await say(client, place, 'needle one'), await say(client, place, 'needle two')]
    expect(existsSync(indexOf(place))).toBe(false)
    await idsOf(client, 'needle')
    await client.request('conversation/delete', { conversationId: one })
    expect(await idsOf(client, 'needle', { waitMs: 0 })).toEqual([two])
  })

  it('finds no secret, since the log has none', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const id = await say(client, place, `the token is ${secret} indeed`)
    expect(await idsOf(client, secret)).toEqual([])
    const { found } = await search(client, 'token')
    expect(found).toMatchObject([{ conversation: { conversationId: id } }])
    expect(JSON.stringify(found)).not.toContain(secret)
  })

  it('says what is in the way where its index cannot be kept', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    await say(client, place, 'needle')
    mkdirSync(indexOf(place))
    const refusal = await client.refused('conversation/search', { query: 'needle' })
    expect(refusal).toMatchObject({ code: 'storageFailed', message: expect.stringContaining(indexOf(place)) })
  })

  it('leaves out a place that the log does not have any more, and reads that log anew', async () => {
    await using place = testPlace()
    const server = place.start()
    const client = await server.connect()
    const id = await say(client, place, 'needle')
    await idsOf(client, 'needle')
    await server.close()
    const { search: own } = place.start().parts
    const found = await own.find('needle', 0)
    expect(await own.excerpts(found.logs.map((log) => ({ ...log, byteOffset: log.byteOffset + 1 })))).toEqual([null])
    expect(await own.find('needle', 0)).toMatchObject({ logs: [], unread: 1 })
    expect((await own.find('needle', 5000)).logs.map((log) => log.id)).toEqual([id])
  })
})
