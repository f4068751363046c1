import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Conversation, connect, type Envelope } from '../../src/index.ts'
import { libraryWorld, listeningServer } from './library-world.ts'

const touch = { calls: [{ name: 'shell', arguments: { command: 'touch in/made' } }] }

/** Everything from the first event to the end of the turn that runs, or of the next one. */
async function wholeStory(conversation: Conversation): Promise<Envelope[]> {
  const story: Envelope[] = []
  for await (const envelope of conversation.events({ after: { seq: 0, crc: null } })) {
    story.push(envelope)
    if (envelope.event.type === 'turn.ended') break
  }
  return story
}

describe('two clients of one conversation', () => {
  test('in two processes: the second one joins the first, and both see the same', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await libraryWorld({ text: 'Shared.', gate: gate.promise })
    await using first = await world.connect({ name: 'first' })
    await using second = await world.connect({ name: 'second' })
    const owned = await first.create({ cwd: world.cwd })
    const turn = await owned.send('hello')
    const joined = await second.resume(owned.id.slice(0, 13))
    expect([owned.attached, joined.attached]).toEqual([false, true])
    const stories = Promise.all([wholeStory(owned), wholeStory(joined)])
    gate.resolve()
    const [here, there] = await stories
    expect(there).toEqual(here)
    expect(await joined.turn).toBeNull()
    expect(joined.state).toEqual(owned.state)
    expect((await turn.result).text).toBe('Shared.')
  })

  test('in two processes: the second one does not join where it asks not to', async () => {
    await using world = await libraryWorld({ text: 'Here.' })
    await using first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await (await owned.send('hello')).result
    const refused = second.resume(owned.id, { join: false })
    await expect(refused).rejects.toMatchObject({ data: { code: 'liveElsewhere' } })
  })

  test('answer an approval once: whoever is slower is stopped, which is no error, and sees who was first', async () => {
    await using world = await libraryWorld(touch, { text: 'Done.' })
    await using first = await world.connect({ name: 'first' })
    await using second = await world.connect({ name: 'second' })
    const owned = await first.create({ cwd: world.cwd })
    const settled = Promise.withResolvers<void>()
    const errors: unknown[] = []
    owned.onApproval(
      (_approval, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            settled.resolve()
            reject(signal.reason)
          })
        }),
      { onError: (error) => void errors.push(error) },
    )
    const turn = await owned.send('make it')
    const joined = await second.resume(owned.id)
    joined.onApproval(() => 'approved')
    await settled.promise
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'Done.', denials: [] })
    expect(existsSync(join(world.cwd, 'in', 'made'))).toBe(true)
    const decided = (await wholeStory(joined)).filter(({ event }) => event.type === 'approval.decided')
    expect(decided).toMatchObject([{ event: { decision: 'approved', by: { name: 'second' } } }])
    expect(errors).toEqual([])
  })

  test('one leaves without a word, and the other goes on', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await libraryWorld({ text: 'Still here.', gate: gate.promise })
    const first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await owned.send('hello')
    const joined = await second.resume(owned.id)
    const { turn } = joined
    expect(joined.turn).toBe(turn)
    await first.close()
    gate.resolve()
    expect(await turn?.result).toMatchObject({ outcome: 'completed', text: 'Still here.' })
  })

  test('the owner is killed: the other one is told, and resumes it in its own process', async () => {
    await using world = await libraryWorld({ hang: 'headers' }, { text: 'Here now.' })
    await using first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await owned.send('hello')
    const joined = await second.resume(owned.id)
    const turn = joined.turn
    const { pid } = await first.request('server/diagnostics', {})
    process.kill(pid, 'SIGKILL')
    await expect(turn?.result).rejects.toMatchObject({ data: { code: 'connectionClosed' } })
    const again = await second.resume(owned.id)
    expect(again.attached).toBe(false)
    await joined.close()
    expect(await (await again.send('again')).result).toMatchObject({ text: 'Here now.' })
    expect(await second.resume(owned.id)).toBe(again)
  })

  test('a request about it reaches its owner, whoever asks', async () => {
    await using world = await libraryWorld({ text: 'One.' })
    await using first = await world.connect()
    await using second = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await (await owned.send('hello')).result
    await second.request('conversation/rename', { conversationId: owned.id, name: 'shared-one' })
    expect(owned.state.core.meta.name).toBe('shared-one')
  })
})

describe('a server that listens', () => {
  test('on a socket is joined by its path', async () => {
    await using world = await libraryWorld({ text: 'By socket.' })
    await using server = await listeningServer(world, `unix:${join(world.home, 'own.sock')}`)
    await using parley = await connect({ socket: server.where })
    const conversation = await parley.create({ cwd: world.cwd })
    expect(await (await conversation.send('hello')).result).toMatchObject({ text: 'By socket.' })
  })

  test('on a websocket is joined by its address and token, and refuses another token', async () => {
    await using world = await libraryWorld({ text: 'By websocket.' })
    await using server = await listeningServer(world, 'ws://127.0.0.1:0')
    const token = readFileSync(join(world.home, '.parley', 'server-token'), 'utf8').trim()
    await expect(connect({ url: server.where, token: 'wrong' })).rejects.toMatchObject({
      data: { code: 'accessEnded' },
      message: expect.stringContaining('asks for another token (401). It was replaced or withdrawn'),
    })
    await using parley = await connect({ url: server.where, token })
    const conversation = await parley.create({ cwd: world.cwd })
    expect(await (await conversation.send('hello')).result).toMatchObject({ text: 'By websocket.' })
  })

  test('lets a client watch that may change nothing', async () => {
    await using world = await libraryWorld({ text: 'Seen.' })
    await using server = await listeningServer(world, `unix:${join(world.home, 'own.sock')}`)
    await using parley = await connect({ socket: server.where })
    await using watcher = await connect({ socket: server.where }, { access: 'readOnly' })
    const conversation = await parley.create({ cwd: world.cwd })
    const turn = await conversation.send('hello')
    const watched = await watcher.resume(conversation.id)
    await expect(watched.send('me too')).rejects.toMatchObject({ data: { code: 'notPermitted' } })
    await turn.result
    expect(await wholeStory(watched)).toEqual(await wholeStory(conversation))
  })

  test('goes on with a turn that was detached, and has its end for who comes back', async () => {
    const gate = Promise.withResolvers<void>()
    await using world = await libraryWorld({ text: 'Done alone.', gate: gate.promise })
    const first = await world.connect()
    const owned = await first.create({ cwd: world.cwd })
    await owned.send('hello')
    await owned.detach()
    await first.close()
    gate.resolve()
    await using second = await world.connect()
    const conversation = await second.resume(owned.id)
    const turn = conversation.turn
    await turn?.result
    expect(conversation.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })
})
