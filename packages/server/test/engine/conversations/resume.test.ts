import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomIds } from '@parley/engine/src/ports/clock-and-ids.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const ids = [
  '01941b80-0000-7000-8000-0000aaaa1111',
  '01941b80-0000-7000-8000-0000bbbb2222',
  '01941b80-0001-7000-8000-0000cccc2222',
]

/** Closed conversations with the ids above; the first one is named. */
async function settled(place: TestPlace, count = 1) {
  const left = [...ids]
  const server = place.start({ ids: { ...randomIds, conversation: () => left.shift() ?? randomIds.conversation() } })
  const client = await server.connect()
  for (let n = 0; n < count; n++) {
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    await watched.send(`message ${n}`)
    await watched.turnEnded()
  }
  const renamed = await client.request('conversation/rename', { conversationId: ids[0] ?? '', name: 'my name' })
  expect(renamed).toEqual({ seq: expect.any(Number) })
  await server.close()
}

describe('a conversation', () => {
  it.each([
    [{ conversationId: ids[0] ?? '' }, ids[0]],
    [{ prefix: '01941b80-0000-7000-8000-0000aaaa' }, ids[0]],
    [{ prefix: 'aaaa1111' }, ids[0]],
    [{ prefix: 'AAAA1111' }, ids[0]],
    [{ prefix: 'aaaa' }, ids[0]],
    [{ prefix: 'aa11' }, ids[0]],
    [{ prefix: 'my name' }, ids[0]],
    [{ conversationId: 'cccc2222' }, ids[2]],
    [{ last: true }, ids[0]],
  ])('is found by %j', async (params, expected) => {
    await using place = testPlace()
    await settled(place, 3)
    const client = await place.start().connect()
    expect(await client.request('conversation/resume', params)).toMatchObject({
      conversationId: expected,
      recovered: null,
      turns: 1,
      activity: 'idle',
    })
  })

  it.each([
    ['bbb', 0],
    ['bbbb2222', 1],
  ])(
    'named %s is found by that before one with this part of an id, not before a whole short id',
    async (name, which) => {
      await using place = testPlace()
      await settled(place, 2)
      const client = await place.start().connect()
      await client.request('conversation/resume', { conversationId: ids[0] ?? '' })
      await client.request('conversation/rename', { conversationId: ids[0] ?? '', name })
      const { conversationId } = await client.request('conversation/resume', { prefix: name })
      expect(conversationId).toBe(ids[which])
    },
  )

  it('is found by its name when there are copies, each of which has a name of its own', async () => {
    await using place = testPlace()
    await settled(place, 2)
    const client = await place.start().connect()
    const copies: string[] = []
    for (const conversationId of [ids[0] ?? '', ids[0] ?? '']) {
      const { conversationId: copy, name } = await client.request('conversation/fork', { conversationId })
      copies.push(`${copy} ${name}`)
    }
    const [first = ''] = (copies[1] ?? '').split(' ')
    const { conversationId, name } = await client.request('conversation/fork', { conversationId: first })
    copies.push(`${conversationId} ${name}`)
    const names = copies.map((copy) => copy.slice(copy.indexOf(' ') + 1))
    expect(names).toEqual(['my name-fork', 'my name-fork-2', 'my name-fork-3'])
    for (const copy of copies) {
      const [id = '', ...words] = copy.split(' ')
      expect(await client.request('conversation/resume', { prefix: words.join(' ') })).toMatchObject({
        conversationId: id,
      })
    }
    expect(await client.request('conversation/resume', { prefix: 'my name' })).toMatchObject({ conversationId: ids[0] })
  })

  it('is the newest of its copies by a name they share, and none when another one is named so, too', async () => {
    await using place = testPlace()
    await settled(place, 2)
    const client = await place.start().connect()
    const copy = await client.request('conversation/fork', { conversationId: ids[0] ?? '' })
    await client.request('conversation/rename', { conversationId: copy.conversationId, name: 'my name' })
    const watched = await client.watch(copy.conversationId)
    await watched.send('on in the copy')
    await watched.turnEnded()
    const found = await client.request('conversation/resume', { prefix: 'my name' })
    expect(found.conversationId).toBe(copy.conversationId)
    await client.request('conversation/resume', { prefix: ids[1] ?? '' })
    await client.request('conversation/rename', { conversationId: ids[1] ?? '', name: 'my name' })
    expect(await client.refused('conversation/resume', { prefix: 'my name' })).toMatchObject({
      code: 'ambiguousConversation',
      detail: { nearest: expect.arrayContaining([ids[0], ids[1], copy.conversationId]) },
    })
  })

  it('is rejected when the request names none, several or no known one', async () => {
    await using place = testPlace()
    await settled(place, 3)
    const client = await place.start().connect()
    expect(await client.refused('conversation/resume', { prefix: '2222' })).toMatchObject({
      number: -32004,
      code: 'ambiguousConversation',
      detail: { nearest: expect.arrayContaining([ids[1], ids[2]]) },
    })
    expect(await client.refused('conversation/resume', { prefix: 'aaaa1112' })).toMatchObject({
      code: 'conversationNotFound',
      message: expect.stringContaining('aaaa1111'),
      detail: { nearest: expect.arrayContaining([ids[0]]) },
    })
    expect(await client.refused('conversation/resume', {})).toMatchObject({ code: 'invalidParams' })
    expect(await client.refused('conversation/resume', { last: true, prefix: 'x' })).toMatchObject({
      code: 'invalidParams',
    })
  })

  it('is the last one of the folder, if the folder has one', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    expect(await client.refused('conversation/resume', { last: true })).toMatchObject({ code: 'conversationNotFound' })
    await settled(place, 2)
    expect(await client.request('conversation/resume', { last: true, cwd: place.cwd })).toMatchObject({
      cwd: place.cwd,
    })
  })
})

describe('a resumed conversation', () => {
  it('continues with the same model request', async () => {
    await using place = testPlace()
    const live = scriptedModel({ calls: [{ name: 'list_dir', args: {} }] }, { text: 'A' }, { text: 'B' })
    const { watched, server } = await place.talk({ model: live })
    await watched.send('one')
    await watched.turnEnded()
    await server.close()
    const resumed = scriptedModel({ text: 'B' })
    const client = await place.start({ model: resumed }).connect()
    const { conversationId } = watched
    await client.request('conversation/resume', { conversationId })
    const again = await client.watch(conversationId)
    expect(again.state.core).toEqual(watched.state.core)
    await again.send('two')
    await again.turnEnded()
    expect(resumed.requests[0]?.entries.slice(0, -1)).toEqual([
      ...(live.requests[1]?.entries ?? []),
      expect.objectContaining({ kind: 'response', text: 'A' }),
    ])
    const { entries: _before, ...head } = live.requests[0] ?? { entries: [] }
    expect(resumed.requests[0]).toMatchObject(head)
  })

  it('records the settings that the caller overrides', async () => {
    await using place = testPlace()
    await settled(place)
    const client = await place.start().connect()
    const folder = join(place.root, 'else')
    mkdirSync(folder)
    const overrides = { model: 'm2', sandbox: 'read-only' as const, cwd: folder }
    const summary = await client.request('conversation/resume', { conversationId: ids[0] ?? '', overrides })
    expect(summary).toMatchObject({ cwd: folder, settings: { model: 'm2', sandbox: 'read-only', enforcement: 'none' } })
    expect(
      place
        .logLines(ids[0] ?? '')
        .slice(-2)
        .map((line) => JSON.parse(line).event.type),
    ).toEqual(['conversation.moved', 'conversation.configured'])
    const live = await client.request('conversation/resume', {
      conversationId: ids[0] ?? '',
      overrides: { model: 'm3' },
    })
    expect(live.settings.model).toBe('m3')
  })

  it('keeps the instructions it was created with', async () => {
    await using place = testPlace()
    const { watched, server } = await place.talk({}, { baseInstructions: 'SPECIAL' })
    await watched.send('one')
    await watched.turnEnded()
    await server.close()
    const model = scriptedModel({ text: 'B' })
    const client = await place.start({ model }).connect()
    await client.request('conversation/resume', { conversationId: watched.conversationId })
    const again = await client.watch(watched.conversationId)
    await again.send('two')
    await again.turnEnded()
    expect(model.requests[0]?.instructions).toMatch(/^SPECIAL/)
  })

  it('is rejected when its folder is gone, and stays unchanged', async () => {
    await using place = testPlace()
    await settled(place)
    rmSync(place.cwd, { recursive: true })
    const before = place.logLines(ids[0] ?? '')
    const client = await place.start().connect()
    expect(await client.refused('conversation/resume', { conversationId: ids[0] ?? '' })).toMatchObject({
      number: -32008,
      code: 'cwdMissing',
      message: expect.stringContaining('does not exist'),
    })
    expect(place.logLines(ids[0] ?? '')).toEqual(before)
    const overrides = { cwd: place.root }
    expect(await client.request('conversation/resume', { conversationId: ids[0] ?? '', overrides })).toMatchObject({
      cwd: place.root,
    })
  })

  it('is one conversation when several requests open it at once', async () => {
    await using place = testPlace()
    await settled(place)
    const client = await place.start().connect()
    const answers = await Promise.all([1, 2, 3].map(() => client.request('conversation/resume', { last: true })))
    expect(answers.map(({ conversationId }) => conversationId)).toEqual([ids[0], ids[0], ids[0]])
    const { conversations } = await client.request('server/diagnostics', {})
    expect(conversations).toHaveLength(1)
  })
})

describe('a conversation that is live elsewhere', () => {
  it('is rejected with the pid of its process, and can be viewed and forked', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ text: 'A' }) })
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const client = await place.start({ model: scriptedModel({ text: 'C' }) }).connect()
    expect(await client.refused('conversation/resume', { conversationId })).toMatchObject({
      number: -32010,
      code: 'liveElsewhere',
      detail: { conversationId, pid: process.pid, socket: null },
    })
    expect(await client.request('conversation/resume', { conversationId, readOnly: true })).toMatchObject({
      readOnly: true,
      turns: 1,
    })
    const view = await client.watch(conversationId)
    expect(view.state.core).toEqual(watched.state.core)
    expect(view.cursor).toEqual(watched.cursor)
    expect(
      await client.refused('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'x' }] }),
    ).toMatchObject({
      number: -32009,
      code: 'readOnly',
    })
    const fork = await client.request('conversation/fork', { conversationId })
    const forked = await client.watch(fork.conversationId)
    await forked.send('two')
    await forked.turnEnded()
    expect(forked.items().map(({ text }) => text)).toEqual(['one', 'A', 'two', 'C'])
    expect(watched.items()).toHaveLength(2)
  })

  it('shows newer events when it is viewed again', async () => {
    await using place = testPlace()
    const { watched } = await place.talk()
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const client = await place.start().connect()
    await client.request('conversation/resume', { conversationId, readOnly: true })
    await watched.send('two')
    await watched.turnEnded()
    expect(await client.request('conversation/resume', { conversationId, readOnly: true })).toMatchObject({ turns: 2 })
  })

  it('can be opened when the other process has left', async () => {
    await using place = testPlace()
    const { watched, server } = await place.talk()
    await watched.send('one')
    await watched.turnEnded()
    const client = await place.start().connect()
    const { conversationId } = watched
    await client.request('conversation/resume', { conversationId, readOnly: true })
    await server.close()
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({
      readOnly: false,
      recovered: null,
    })
  })
})
