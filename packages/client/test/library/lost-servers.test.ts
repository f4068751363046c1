import { join } from 'node:path'
import { descendantsWithMark, isAlive, markVariable, newMark, tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type ConversationEvent, connect, type Parley } from '../../src/index.ts'
import { libraryWorld } from './library-world.ts'

async function pidOf(parley: Parley): Promise<number> {
  return (await parley.request('server/diagnostics', {})).pid
}

describe('a server that is killed in the middle of a turn', () => {
  test('ends what waits with how it ended, and the conversation goes on in the next one', async () => {
    await using world = await libraryWorld({ text: 'half', hang: 'mid' }, { text: 'Again.' })
    await using first = await world.connect()
    const before = await first.create({ cwd: world.cwd })
    const seen: ConversationEvent[] = []
    const turn = await before.send('hello')
    const iteration = (async () => {
      for await (const event of turn) {
        seen.push(event)
        if (event.type === 'item.delta') process.kill(await pidOf(first), 'SIGKILL')
      }
    })()
    const all = before.events().next()
    const killed = { data: { code: 'connectionClosed' }, message: 'The server was ended by SIGKILL.' }
    await expect(iteration).rejects.toMatchObject(killed)
    await expect(turn.result).rejects.toMatchObject(killed)
    await expect(all.then(() => before.events().next())).rejects.toMatchObject(killed)
    await expect(before.send('more')).rejects.toMatchObject(killed)
    expect(await first.closed).toMatchObject(killed)

    await using second = await world.connect()
    const conversation = await second.resume(before.id)
    // Everything shown is in its place in the log that the killed server left.
    const kept: ConversationEvent[] = []
    for await (const { event } of conversation.events({ after: { seq: 0, crc: null } })) {
      kept.push(event)
      if (event.type === 'conversation.recovered') break
    }
    expect(kept).toEqual(expect.arrayContaining(seen))
    expect(await (await conversation.send('again')).result).toMatchObject({ outcome: 'completed', text: 'Again.' })
  })
})

describe('a connection', () => {
  test('to a program that is not there says where it was looked for', async () => {
    await using folder = await tempDirectory()
    const env = { PATH: folder.path, HOME: folder.path }
    await expect(connect({ spawn: { env } })).rejects.toMatchObject({
      data: { code: 'serverNotFound' },
      message: expect.stringMatching(/PARLEY_BIN/),
    })
  })

  test('to a named program that is not there says so by the same code, and a text is no command', async () => {
    await using folder = await tempDirectory()
    const env = { ...process.env, PARLEY_HOME: folder.path }
    await expect(connect({ spawn: { command: [join(folder.path, 'none')], env } })).rejects.toMatchObject({
      data: { code: 'serverNotFound' },
      message: expect.stringMatching(/none could not be started: no such file/),
    })
    // A program in JavaScript is not held to the types.
    const text: unknown = 'parley server'
    await expect(connect({ spawn: { command: text as readonly [string], env } })).rejects.toMatchObject({
      data: { code: 'invalidParams' },
    })
  })

  test('to a program that ends at once says what it said', async () => {
    await using folder = await tempDirectory()
    const command = [process.execPath, '-e', 'console.error("no such luck"); process.exit(3)'] as const
    const failing = connect({ spawn: { command, env: { ...process.env, PARLEY_HOME: folder.path } } })
    await expect(failing).rejects.toMatchObject({
      data: { code: 'serverFailed' },
      message: expect.stringMatching(/^The server ended with 3\. It said: no such luck/),
    })
  })

  test('to a socket or an address where nobody listens says so', async () => {
    await using folder = await tempDirectory()
    for (const target of [{ socket: join(folder.path, 'none.sock') }, { url: 'ws://127.0.0.1:9' }])
      await expect(connect(target)).rejects.toMatchObject({ data: { code: 'serverUnreachable' } })
  })

  test('is given up when the signal says so, and leaves no process behind', async () => {
    await using folder = await tempDirectory()
    const mark = newMark()
    const env = { ...process.env, PARLEY_HOME: folder.path, [markVariable]: mark }
    const stop = new AbortController()
    const connecting = connect({ spawn: { command: ['sleep', '60'], env } }, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(connecting).rejects.toThrow('enough')
    expect(descendantsWithMark(mark)).toEqual([])
  })

  test('that we close is no failure, and takes its server along', async () => {
    await using world = await libraryWorld({ hang: 'headers' })
    const parley = await world.connect()
    const pid = await pidOf(parley)
    const conversation = await parley.create({ cwd: world.cwd })
    const turn = await conversation.send('hello')
    await parley.close()
    expect(await parley.closed).toBeNull()
    await expect(turn.result).rejects.toMatchObject({ data: { code: 'closed' } })
    await expect(conversation.send('more')).rejects.toMatchObject({ data: { code: 'closed' } })
    expect(isAlive(pid)).toBe(false)
  })

  test('that we close kills a server that was stopped, and says so', async () => {
    await using world = await libraryWorld()
    const told: string[] = []
    const parley = await world.connect({ onNotice: ({ code, message }) => void told.push(`${code}: ${message}`) })
    const pid = await pidOf(parley)
    await parley.create({ cwd: world.cwd })
    process.kill(pid, 'SIGSTOP')
    await parley.close()
    expect(told).toEqual([
      expect.stringContaining(`serverKilled: The server (process ${pid}) did not answer for 2.5 s`),
    ])
    expect(isAlive(pid)).toBe(false)
  })
})
