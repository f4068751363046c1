import { startModelServer, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it } from 'vitest'
import { expectShownIsStored, takeOver } from './support/after-kill.ts'
import { bytesInUse } from './support/bytes-in-use.ts'
import { rawClient } from './support/raw-client.ts'
import { type ProcessPlace, processPlace } from './support/spawned-server.ts'

const megabyte = 1024 * 1024

const turnsEnded = (place: ProcessPlace, conversationId: string) =>
  place.logLines(conversationId).filter((line) => line.includes('"type":"turn.ended"')).length

describe.skipIf(process.platform !== 'linux')('a client that stops reading', { timeout: 60_000 }, () => {
  it('costs the server next to no memory and gets every event when it reads again', { timeout: 60_000 }, async () => {
    const text = 'x'.repeat(2 * megabyte)
    const cut = { text, chunks: 32, cutAfterBytes: 2 * megabyte }
    const [warm, stalled] = isLong ? [4, 12] : [3, 8]
    await using model = await startModelServer(Array.from({ length: warm + stalled }, () => cut))
    await using place = processPlace(model.url)
    const server = place.spawn()
    const client = rawClient(server)
    await client.ask('initialize', { protocolVersion: { min: 2, max: 2 }, clientInfo: { name: 'raw', version: '1' } })
    const { conversationId } = (await client.ask('conversation/create', { cwd: place.cwd })).result
    await client.ask('conversation/stream', { conversationId })
    const turn = async (n: number) => {
      client.send('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'go' }] })
      await waitUntil(() => turnsEnded(place, conversationId) === n, { what: `turn ${n}`, timeoutMs: 30_000 })
    }
    for (let n = 1; n <= warm; n++) await turn(n)
    const before = await bytesInUse(server)
    client.pause()
    for (let n = warm + 1; n <= warm + stalled; n++) await turn(n)
    // The last turn's own texts may still be on their way out of use; 16 MiB that stayed would not be.
    await waitUntil(async () => (await bytesInUse(server)) - before < 12 * megabyte, {
      what: 'less than 12 MiB in use',
    })
    client.resume()
    const last = place.logLines(conversationId).length - 1
    await waitUntil(() => client.lines.at(-1)?.includes(`"seq":${last},`), {
      what: 'the last event',
      timeoutMs: 30_000,
    })
    const seqs = client.lines
      .map((line) => JSON.parse(line))
      .flatMap(({ method, params }) => (method === 'conversation/event' ? [params.seq] : []))
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(seqs).toHaveLength(last)
  })
})

describe('a client that closes only what it reads from', { timeout: 60_000 }, () => {
  it('is one that has gone: the server saves and leaves without a word', async () => {
    await using model = await startModelServer([{ text: 'word '.repeat(2000), chunks: 2000, delayMs: 5 }])
    await using place = processPlace(model.url)
    const server = place.spawn()
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const shown = await client.watch(conversationId)
    await shown.send('go')
    await shown.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    server.child.stdout?.destroy()
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(server.stderr()).toBe('')
    expectShownIsStored(place, shown)
    expect((await takeOver(place, conversationId)).summary).toMatchObject({ activity: 'idle', recovered: null })
  })
})

describe('output that a dependency prints', { timeout: 60_000 }, () => {
  it('goes to stderr, and every line of stdout is the protocol', async () => {
    await using model = await startModelServer([{ text: 'word '.repeat(50), chunks: 50, delayMs: 2 }])
    await using place = processPlace(model.url)
    const server = place.spawn(undefined, { PARLEY_TEST_NOISE: '1' })
    const client = await server.connect()
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    await watched.send('go')
    await watched.turnEnded()
    expect(server.stderr()).toContain('noise\n')
    expect(Object.values(client.peer.faultCounts).every((count) => count === 0)).toBe(true)
    await client.peer.close()
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })
})
