import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as apart } from 'node:timers/promises'
import { startModelServer } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { fullAccess, processPlace } from '../e2e/support/spawned-server.ts'

/** Longer than the limits below and the lateness by which a sleep is known. */
const sleepMs = 2_500

/** Stops a process for a while, as a machine that sleeps does. */
async function sleepThrough(pid: number, meanwhile?: () => void): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  meanwhile?.()
  await apart(sleepMs)
  process.kill(pid, 'SIGCONT')
}

describe('a server that was stopped for longer than its time limits', { timeout: 60_000 }, () => {
  it('goes on with an answer that came meanwhile, a command and a question', async () => {
    const gate = Promise.withResolvers<void>()
    const command = { name: 'shell', arguments: { command: 'sleep 0.2; echo over', timeout_ms: 1_000 } }
    await using model = await startModelServer([
      {
        text: 'begun, and the rest',
        chunks: 4,
        beforeFrame: (frame) => (frame > 4 ? gate.promise : Promise.resolve()),
      },
      { calls: [command] },
      { text: 'Done.' },
    ])
    await using place = processPlace(model.url)
    const config = readFileSync(join(place.root, '.parley/config.toml'), 'utf8')
    place.write(
      '../.parley/config.toml',
      config.replace('stream_max_retries = 0', 'stream_max_retries = 0\nstream_idle_timeout_ms = 1000'),
    )
    const server = place.spawn(undefined, {}, fullAccess)
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    await watched.send('one')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    await sleepThrough(server.pid, () => gate.resolve())
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(watched.items().at(-1)).toMatchObject({ text: 'begun, and the rest' })

    await watched.send('two')
    const question = await watched.approval()
    await sleepThrough(server.pid)
    expect(await watched.approval()).toEqual(question)
    await watched.decide('approved')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.status === 'inProgress'))
    await sleepThrough(server.pid)
    await watched.turnEnded()
    expect(watched.items().findLast(({ type }) => type === 'commandExecution')).toMatchObject({ status: 'completed' })
  })
})
