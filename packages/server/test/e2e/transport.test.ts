import { statSync } from 'node:fs'
import { startModelServer, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it } from 'vitest'
import { expectShownIsStored, takeOver } from './support/after-kill.ts'
import { bytesInUse } from './support/bytes-in-use.ts'
import { rawClient } from './support/raw-client.ts'
import { type ProcessPlace, processPlace } from './support/spawned-server.ts'

const megabyte = 1024 * 1024

const pieceBytes = 64 * 1024
/** Frame of the last of 32 deltas, behind the beginnings of response and message. */
const lastDelta = 35

const turnsEnded = (place: ProcessPlace, conversationId: string) =>
  place.logLines(conversationId).filter((line) => line.includes('"type":"turn.ended"')).length

describe.skipIf(process.platform !== 'linux')('a client that stops reading', { timeout: 60_000 }, () => {
  it('costs the server next to no memory and gets every event when it reads again', { timeout: 60_000 }, async () => {
    const [warm, stalled] = isLong ? [4, 12] : [3, 8]
    let turns = 0
    const recorded = () => statSync(place.path(conversationId)).size
    // Cut once all before is in the log: what has not been shown by then is discarded.
    const cut = () => {
      const wanted = ++turns * 31 * pieceBytes
      const beforeFrame = async (index: number) => {
        if (index === lastDelta) await waitUntil(() => recorded() >= wanted, { what: `${wanted} bytes in the log` })
      }
      return { text: 'x'.repeat(2 * megabyte), chunks: 32, cutAfterBytes: 2 * megabyte, beforeFrame }
    }
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
    // The least of a few reports, each after a collection: the last turn's own texts are still on their way out of use.
    const before = Math.min(await bytesInUse(server), await bytesInUse(server), await bytesInUse(server))
    client.pause()
    for (let n = warm + 1; n <= warm + stalled; n++) await turn(n)
    // Of 16 MiB that were not read, memory keeps up to 6: the newest 4, 1 that is unsent, and 1 that clients share.
    await waitUntil(async () => (await bytesInUse(server)) - before < 8 * megabyte, {
      what: 'less than 8 MiB in use',
      timeoutMs: 30_000,
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
