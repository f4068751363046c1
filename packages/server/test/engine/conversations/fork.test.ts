import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { namesIn, testPlace } from '../support/test-server.ts'

describe('a fork', () => {
  it('has the events up to its point with the same numbers and ids', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'A' }, { text: 'B' }) })
    await watched.send('one')
    await watched.turnEnded()
    const at = watched.cursor.seq
    await watched.send('two')
    await watched.turnEnded()
    const fork = await client.request('conversation/fork', { conversationId: watched.conversationId, at })
    expect(fork).toMatchObject({ forkedFrom: { id: watched.conversationId, seq: at }, title: 'one', turns: 1 })
    const ours = place.logLines(watched.conversationId)
    expect(place.logLines(fork.conversationId).slice(1)).toEqual(ours.slice(1, at + 1))
    const forked = await client.watch(fork.conversationId)
    expect(forked.items().map(({ text }) => text)).toEqual(['one', 'A'])
  })

  it('has its own names for the same side files', async () => {
    await using place = testPlace()
    const calls = [{ name: 'shell', args: { command: 'seq 1 9999' } }]
    const { client, watched } = await place.talk({ model: scriptedModel({ calls }) }, { sandbox: 'danger-full-access' })
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const fork = await client.request('conversation/fork', { conversationId })
    const [from, to] = [place.path(conversationId, 'sideFiles'), place.path(fork.conversationId, 'sideFiles')]
    expect(namesIn(to)).toEqual(namesIn(from))
    const [name = ''] = namesIn(to)
    expect(statSync(join(to, name)).ino).toBe(statSync(join(from, name)).ino)
    await client.request('conversation/delete', { conversationId })
    expect(existsSync(join(to, name))).toBe(true)
  })

  it('continues from any event of a turn', async () => {
    await using place = testPlace()
    place.write('a.txt', 'a')
    const calls = [
      { name: 'read_file', args: { path: 'a.txt' } },
      { name: 'shell', args: { command: 'touch made' } },
    ]
    const { client, watched } = await place.talk({
      model: scriptedModel({ reasoning: 'hm', text: 'ok', calls }, { text: 'end' }),
    })
    await watched.send('one')
    await watched.decide('approved')
    await watched.turnEnded()
    const { conversationId } = watched
    for (let at = 1; at <= watched.cursor.seq; at++) {
      const fork = await client.request('conversation/fork', { conversationId, at })
      const forked = await client.watch(fork.conversationId)
      const { turn, open, approvals } = forked.state.core
      expect({ at, turn, open, approvals }).toEqual({ at, turn: null, open: {}, approvals: {} })
      await forked.send('go on')
      await forked.turnEnded()
      expect(forked.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    }
  })

  it('leaves the approvals and queued messages of a running turn to the original', async () => {
    await using place = testPlace()
    const calls = [{ name: 'shell', args: { command: 'touch made' } }]
    const { client, watched } = await place.talk({ model: scriptedModel({ calls }, { text: 'ok' }, { text: 'more' }) })
    const { conversationId } = watched
    await watched.send('one')
    await watched.approval()
    await watched.send('later', { when: 'queue' })
    const fork = await client.request('conversation/fork', { conversationId })
    const forked = await client.watch(fork.conversationId)
    expect(forked.state.core).toMatchObject({ turn: null, approvals: {}, inbox: [] })
    expect(forked.items()[1]).toMatchObject({ status: 'denied', modelText: expect.stringContaining('forked') })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('made')).toBe('')
  })

  it('is rejected at an unknown event and leaves nothing on disk', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const before = namesIn(place.path(conversationId, 'folder'))
    expect(await client.refused('conversation/fork', { conversationId, at: 999 })).toMatchObject({
      code: 'itemNotFound',
      detail: { newest: watched.cursor.seq },
    })
    expect(namesIn(place.path(conversationId, 'folder'))).toEqual(before)
    expect(await client.refused('conversation/fork', { conversationId: 'x' })).toMatchObject({
      code: 'conversationNotFound',
    })
  })
})
