import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { type MethodName, methodRules } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'

const names = Object.keys(methodRules) as MethodName[]
const asks = () => scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch x' } }] }, { text: 'ok' })

describe('a read-only client', () => {
  it.each(names.filter((name) => methodRules[name].access === 'change'))('may not %s', async (method) => {
    await using place = testPlace()
    const server = place.start()
    const reader = await server.connect('reader', { access: 'readOnly' })
    const error = await reader.peer.request(method, {}).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: -32007, data: { code: 'notPermitted' } })
  })

  it('sees the state and everything that happens', async () => {
    await using place = testPlace()
    const { server, watched } = await place.talk()
    await watched.send('one')
    await watched.turnEnded()
    const reader = await server.connect('reader', { access: 'readOnly' })
    const { conversationId } = watched
    expect(await reader.request('conversation/resume', { conversationId })).toMatchObject({ readOnly: false })
    const seen = await reader.watch(conversationId)
    await watched.send('two')
    await watched.turnEnded()
    await seen.until(({ core }) => core.seq === watched.state.core.seq)
    expect(seen.state.core).toEqual(watched.state.core)
    expect((await reader.request('conversation/list', {})).conversations).toHaveLength(1)
  })

  it('may view a closed conversation, but neither write to it nor change its settings', async () => {
    await using place = testPlace()
    const { server, client, watched } = await place.talk()
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const reader = await server.connect('reader', { access: 'readOnly' })
    const overridden = await reader.refused('conversation/resume', { conversationId, overrides: { effort: 'low' } })
    expect(overridden).toMatchObject({ number: -32007, code: 'notPermitted' })
    await client.request('conversation/unstream', { conversationId })
    expect(await reader.refused('conversation/resume', { conversationId })).toMatchObject({ code: 'notPermitted' })
    const view = await reader.request('conversation/resume', { conversationId, readOnly: true })
    expect(view.readOnly).toBe(true)
  })

  it('cannot decide an approval', async () => {
    await using place = testPlace()
    const { server, client, watched } = await place.talk({ model: asks() })
    const reader = await server.connect('reader', { access: 'readOnly' })
    await reader.watch(watched.conversationId)
    await watched.send('go')
    expect((await watched.approval()).answerableBy).toEqual([client.clientId])
  })
})

describe('several clients of one conversation', () => {
  it('may all decide; the first decision wins, and the others learn whose it was', async () => {
    await using place = testPlace()
    const { server, client, watched } = await place.talk({ model: asks() })
    const other = await server.connect('test')
    const seen = await other.watch(watched.conversationId)
    await watched.send('go')
    const { id: approvalId, answerableBy } = await watched.approval()
    expect(answerableBy).toEqual([client.clientId, other.clientId])
    const { conversationId } = watched
    await other.request('approval/decide', { conversationId, approvalId, decision: 'approved' })
    await watched.turnEnded()
    const decided = watched.events.flatMap(({ event }) => (event.type === 'approval.decided' ? [event.by] : []))
    expect(decided).toEqual([{ clientId: other.clientId, name: 'test', title: 'test 2' }])
    expect(await client.refused('approval/decide', { conversationId, approvalId, decision: 'denied' })).toMatchObject({
      number: -32005,
      message: 'test 2 already answered: approved.',
      detail: { decidedBy: 'test 2', decision: 'approved' },
    })
    await seen.until(({ core }) => core.seq === watched.state.core.seq)
    expect(seen.state.core).toEqual(watched.state.core)
  })

  it('learn who approved a running call', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch x; echo on; sleep 600' } }] })
    const { client, watched } = await place.talk({ model })
    await watched.send('go')
    const { id: approvalId } = await watched.approval()
    await watched.decide('approved')
    await watched.until(({ core }) => Object.values(core.open).find(({ output }) => output === 'on\n'))
    const { conversationId } = watched
    expect(await client.refused('approval/decide', { conversationId, approvalId, decision: 'denied' })).toMatchObject({
      message: 'test already answered: approved.',
    })
    await client.request('conversation/interrupt', { conversationId })
    await watched.turnEnded()
  })

  it('learn after a restart who denied a call', async () => {
    await using place = testPlace()
    const { server, watched } = await place.talk({ model: asks() })
    await watched.send('go')
    const { id: approvalId } = await watched.approval()
    await watched.decide('denied')
    await watched.turnEnded()
    await server.close()
    const { conversationId } = watched
    const later = await place.start().connect()
    await later.request('conversation/resume', { conversationId })
    expect(await later.refused('approval/decide', { conversationId, approvalId, decision: 'approved' })).toMatchObject({
      detail: { decidedBy: 'test', decision: 'denied' },
    })
  })

  it('are listed with name, access and transport', async () => {
    await using place = testPlace()
    const { server, client, watched } = await place.talk()
    await server.connect('reader', { access: 'readOnly' })
    const { clients, conversations } = await client.request('server/diagnostics', {})
    expect(clients).toMatchObject([
      { clientId: client.clientId, name: 'test', title: 'test', access: 'full', transport: 'inProcess', streams: 1 },
      { name: 'reader', access: 'readOnly', streams: 0 },
    ])
    expect(conversations).toMatchObject([{ conversationId: watched.conversationId, clients: 1, detached: false }])
  })

  it('keep it open for a client that is about to stream it while another one leaves', async () => {
    await using place = testPlace()
    const { server, client, watched } = await place.talk()
    await watched.send('one')
    await watched.turnEnded()
    const { conversationId } = watched
    const other = await server.connect('other')
    await other.request('conversation/resume', { conversationId })
    await client.peer.close()
    await other.request('conversation/read', { conversationId })
    const seen = await other.watch(conversationId)
    expect(seen.items()).toHaveLength(2)
  })
})

describe('a conversation without clients', () => {
  it('is closed when its last client is gone and its work is done', async () => {
    await using place = testPlace()
    const gate = Promise.withResolvers<void>()
    const { server, client, watched } = await place.talk({ model: scriptedModel({ text: 'A', gate: gate.promise }) })
    const observer = await server.connect('observer')
    const open = async () => (await observer.request('server/diagnostics', {})).conversations.length
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'A'))
    await client.peer.close()
    expect(await open()).toBe(1)
    gate.resolve()
    await server.engine.host.emptied()
    expect(await open()).toBe(0)
    const { conversationId } = watched
    await observer.request('conversation/resume', { conversationId })
    expect((await observer.watch(conversationId)).state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })
})
