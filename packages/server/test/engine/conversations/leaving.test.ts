import { existsSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it, vi } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe('a conversation that its last client leaves', () => {
  it('is closed, and another process can open it', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    await client.request('conversation/unstream', { conversationId })
    expect((await client.request('server/diagnostics', {})).conversations).toEqual([])
    const other = await place.start().connect()
    expect(await other.request('conversation/resume', { conversationId })).toMatchObject({ readOnly: false, turns: 1 })
    expect(await client.refused('conversation/resume', { conversationId })).toMatchObject({ code: 'liveElsewhere' })
  })

  it('stays open while another client streams it, a turn runs, or a command of the user runs', async () => {
    await using place = testPlace()
    const { server, client, watched } = await place.talk({ model: scriptedModel({ hang: true }) })
    const { conversationId } = watched
    const other = await server.connect('other')
    const theirs = await other.watch(conversationId)
    await client.request('conversation/unstream', { conversationId })
    const command = 'sleep 100'
    const { itemId } = await other.request('conversation/runShell', { conversationId, command })
    await theirs.until(({ core }) => core.open[itemId])
    await other.request('conversation/unstream', { conversationId })
    expect((await client.request('server/diagnostics', {})).conversations).toHaveLength(1)
    const again = await client.watch(conversationId)
    await client.request('conversation/interrupt', { conversationId })
    await again.until(({ core }) => core.open[itemId] === undefined)
    await again.send('one')
    await client.request('conversation/unstream', { conversationId })
    expect((await client.request('server/diagnostics', {})).conversations).toHaveLength(1)
  })

  it.each(['create', 'resume', 'fork'] as const)('is closed that %s opens once its client has left', async (how) => {
    await using place = testPlace()
    let wait = Promise.resolve()
    const server = place.start({ secrets: () => wait.then(() => []) })
    const first = await server.connect()
    const { conversationId } = await first.request('conversation/create', { cwd: place.cwd })
    const watched = await first.watch(conversationId)
    await watched.send('one')
    await watched.turnEnded()
    await first.request('conversation/unstream', { conversationId })
    const { promise, resolve } = Promise.withResolvers<void>()
    wait = promise
    const late = await server.connect('late')
    const opens = {
      create: () => late.request('conversation/create', { cwd: place.cwd }),
      resume: () => late.request('conversation/resume', { conversationId }),
      fork: () => late.request('conversation/fork', { conversationId }),
    }
    const asked = vi.spyOn(server.engine.host, how)
    const opened = opens[how]().catch(() => 'gone')
    await late.peer.close()
    expect(await opened).toBe('gone')
    const next = () => new Promise((resolveNext) => setImmediate(resolveNext))
    while ((await first.request('server/diagnostics', {})).clients.length > 1) await next()
    resolve()
    await asked.mock.results[0]?.value
    await vi.waitUntil(() => server.engine.host.conversations.length === 0)
  })

  it('parks the turn that waits for an answer', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch x' } }] })
    const { client, watched } = await place.talk({ model })
    await watched.send('one')
    await watched.approval()
    const { conversationId } = watched
    await client.request('conversation/unstream', { conversationId })
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({ activity: 'parked' })
    expect(Object.values((await client.watch(conversationId)).state.core.approvals)).toMatchObject([
      { state: 'pending' },
    ])
  })
})

it('a view closes when its client leaves, though a command of the user runs in the other process', async () => {
  await using place = testPlace()
  const { client: writer, watched } = await place.talk()
  await watched.send('one')
  await watched.turnEnded()
  const { conversationId } = watched
  const { itemId } = await writer.request('conversation/runShell', { conversationId, command: 'sleep 100' })
  await watched.until(({ core }) => core.open[itemId])
  const client = await place.start().connect()
  await client.request('conversation/resume', { conversationId, readOnly: true })
  await client.request('conversation/unstream', { conversationId })
  expect((await client.request('server/diagnostics', {})).conversations).toEqual([])
})

it('a view closes when its conversation is opened for writing, and the client streams it anew', async () => {
  await using place = testPlace()
  const { server, watched } = await place.talk()
  await watched.send('one')
  await watched.turnEnded()
  await server.close()
  const { conversationId } = watched
  const second = place.start()
  const client = await second.connect()
  await client.request('conversation/resume', { conversationId, readOnly: true })
  await client.watch(conversationId)
  const view = second.engine.host.get(conversationId)
  await client.request('conversation/resume', { conversationId })
  expect(view.clients.followerCount).toBe(0)
  expect(view.clients.answerers.length).toBe(0)
  const again = await client.watch(conversationId)
  await again.send('two')
  await again.turnEnded()
  expect(again.items().filter(({ type }) => type === 'userMessage')).toHaveLength(2)
})

it('an ephemeral conversation can be read, forked and deleted while it is open', async () => {
  await using place = testPlace()
  const { server, client, watched } = await place.talk({}, { ephemeral: true })
  await watched.send('one')
  await watched.turnEnded()
  const { conversationId } = watched
  const { items } = await client.request('conversation/read', { conversationId })
  expect(items.map(({ item }) => item.text)).toContain('one')
  const file = watched.state.core.context?.sessionContext ?? ''
  expect((await client.request('conversation/readFile', { conversationId, file })).totalBytes).toBeGreaterThan(0)
  expect(await client.request('conversation/fork', { conversationId })).toMatchObject({ turns: 1 })
  const { log } = server.engine.host.get(conversationId).paths
  await client.request('conversation/delete', { conversationId })
  expect(existsSync(log)).toBe(false)
  expect(await client.refused('conversation/read', { conversationId })).toMatchObject({ code: 'conversationNotFound' })
})

it('a request key names its conversation until the conversation is closed or deleted', async () => {
  await using place = testPlace()
  const { client } = await place.talk()
  const create = () => client.request('conversation/create', { cwd: place.cwd, requestKey: 'k' })
  const { conversationId } = await create()
  expect((await create()).conversationId).toBe(conversationId)
  const watched = await client.watch(conversationId)
  await watched.send('one')
  await watched.turnEnded()
  await client.request('conversation/delete', { conversationId })
  const second = await create()
  expect(second.conversationId).not.toBe(conversationId)
  await client.watch(second.conversationId)
  await client.request('conversation/unstream', { conversationId: second.conversationId })
  expect((await create()).conversationId).not.toBe(second.conversationId)
})
