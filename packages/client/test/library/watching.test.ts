import { isAlive, waitUntil } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import type { Parley } from '../../src/index.ts'
import { libraryWorld } from './library-world.ts'

async function pidOf(parley: Parley): Promise<number> {
  return (await parley.request('server/diagnostics', {})).pid
}

describe('a conversation that is watched', () => {
  test('is joined where it is live: every event arrives, and every change is rejected', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await libraryWorld({ text: 'Watched.', gate: gate.promise })
    await using first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    const turn = await owned.send('hello')
    const watched = await second.watch(owned.id)
    expect(watched).toMatchObject({ attached: true, readOnly: true, serverPid: await pidOf(first) })
    await expect(watched.send('me too')).rejects.toMatchObject({ data: { code: 'notPermitted' } })
    const seen = watched.turn?.result
    gate.resolve()
    expect(await seen).toMatchObject({ text: 'Watched.' })
    await turn.result
    expect(watched.state).toEqual(owned.state)
  })

  test('is shown as it is saved where no process has it open, and stays unopened', async () => {
    await using world = await libraryWorld({ text: 'Saved.' })
    const first = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await (await owned.send('hello')).result
    await first.close()
    await using second = await world.connect()
    const view = await second.watch({ last: true, cwd: world.cwd })
    expect(view).toMatchObject({ attached: false, readOnly: true, id: owned.id })
    expect(view.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(await second.listLive()).toEqual([])
    await expect(view.send('more')).rejects.toMatchObject({ data: { code: 'readOnly' } })
  })
})

test('a client that may change nothing is not asked about approvals', async () => {
  const call = { calls: [{ name: 'shell', arguments: { command: 'touch made' } }] }
  await using world = await libraryWorld(call, { text: 'Done.' })
  await using first = await world.connect()
  await using second = await world.connect()
  const owned = await first.create({ cwd: world.cwd, approvalPolicy: 'untrusted' })
  const answer = Promise.withResolvers<'denied'>()
  owned.onApproval(() => answer.promise)
  const turn = await owned.send('make it')
  const watched = await second.watch(owned.id)
  let asked = 0
  watched.onApproval(() => {
    asked += 1
    return 'approved'
  })
  await waitUntil(() => Object.keys(watched.state.core.approvals).length === 1, { what: 'the question' })
  answer.resolve('denied')
  expect((await turn.result).denials).toHaveLength(1)
  expect(asked).toBe(0)
})

describe('a conversation with several clients', () => {
  test('counts them, and is listed as live with its process', async () => {
    await using world = await libraryWorld({ text: 'Here.' })
    await using first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await (await owned.send('hello')).result
    expect(await owned.countClients()).toBe(1)
    const told: number[] = []
    owned.onClients((clients) => told.push(clients))
    const joined = await second.resume(owned.id)
    expect([await owned.countClients(), await joined.countClients()]).toEqual([2, 2])
    expect(await second.listLive()).toMatchObject([{ conversationId: owned.id, live: { pid: first.serverPid } }])
    await joined.close()
    await waitUntil(() => told.at(-1) === 1, { what: 'both changes' })
    expect(told).toEqual([2, 1])
    expect(await owned.countClients()).toBe(1)
  })
})

describe('a connection to the process of another one', () => {
  test('is closed with the conversation it was made for', async () => {
    await using world = await libraryWorld({ text: 'Here.' })
    await using first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await (await owned.send('hello')).result
    const clients = async () => (await first.request('server/diagnostics', {})).clients.length
    const joined = await second.resume(owned.id)
    expect(await clients()).toBe(2)
    await joined.close()
    await waitUntil(async () => (await clients()) === 1, { what: 'the end of the connection' })
    expect(second.serverPid).toBe(await pidOf(second))
  })

  test('outlives conversation and first connection once it is released', async () => {
    await using world = await libraryWorld({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })
    await using first = await world.connect()
    const second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await (await owned.send('hello')).result
    const joined = await second.resume(owned.id)
    await using there = second.release(joined)
    expect([there.serverPid, there.server.clientId]).toEqual([first.serverPid, expect.any(String)])
    const left = second.serverPid ?? 0
    await second.close()
    expect(isAlive(left)).toBe(false)
    expect(await (await joined.send('again')).result).toMatchObject({ text: 'Two.' })
    const other = await there.create({ cwd: world.cwd })
    await joined.close()
    expect(other.attached).toBe(true)
    expect(await (await other.send('and here')).result).toMatchObject({ text: 'Three.' })
  })

  test('is the connection itself for a conversation that is followed on it', async () => {
    await using world = await libraryWorld()
    await using parley = await world.connect()
    expect(parley.release(await parley.create({ cwd: world.cwd }))).toBe(parley)
  })
})

describe('a request about a conversation', () => {
  test('goes to the process that has it, with its id', async () => {
    await using world = await libraryWorld({ text: 'Here.' })
    await using first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await (await owned.send('hello')).result
    const joined = await second.resume(owned.id)
    await joined.request('conversation/runShell', { command: 'echo by request' })
    await waitUntil(() => owned.state.window.some(({ item }) => item.type === 'shellCommand'), { what: 'the command' })
    const { events } = await joined.request('conversation/readEvents', { after: { seq: 0 }, limit: 1 })
    expect(events).toMatchObject([{ conversationId: owned.id, seq: 1 }])
  })

  test('that interrupts one turn does not interrupt another', async () => {
    await using world = await libraryWorld({ hang: 'headers' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const turn = await conversation.send('hello')
    await expect(conversation.interrupt('another')).rejects.toMatchObject({ data: { code: 'turnMismatch' } })
    expect(await conversation.interrupt(turn.id ?? '')).toBe(true)
    expect(await turn.result).toMatchObject({ outcome: 'interrupted' })
  })
})

test('a conversation that is resumed again with other settings is the same object, with these settings', async () => {
  await using world = await libraryWorld({ text: 'Here.' })
  await using parley = await world.connect()
  const conversation = await parley.create({ cwd: world.cwd })
  await (await conversation.send('hello')).result
  expect(await parley.resume(conversation.id, { overrides: { sandbox: 'read-only' } })).toBe(conversation)
  expect(conversation.state.core.settings.sandbox).toBe('read-only')
  expect(conversation.summary.settings.sandbox).toBe('read-only')
})
