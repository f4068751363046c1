import { describe, expect, test } from 'vitest'
import type { Conversation, Envelope } from '../../src/index.ts'
import { libraryWorld } from './library-world.ts'

/** Number of look-ups in one response: enough for several thousand events within moments. */
const lookups = 500
const flood = {
  calls: Array.from({ length: lookups }, (_, at) => ({
    name: 'list_dir',
    arguments: { path: at % 2 === 0 ? '.' : './' },
  })),
}

async function firstOf(events: AsyncIterator<Envelope>): Promise<Envelope | undefined> {
  const { value } = await events.next()
  return value ?? undefined
}

async function restOf(events: AsyncIterable<Envelope>, last: number): Promise<Envelope[]> {
  const all: Envelope[] = []
  for await (const envelope of events) {
    all.push(envelope)
    if (envelope.seq === last) break
  }
  return all
}

const seqsOf = (envelopes: readonly Envelope[]) => envelopes.map(({ seq }) => seq)
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

async function flooded(conversation: Conversation): Promise<number> {
  await (await conversation.send('look around')).result
  return conversation.state.core.seq
}

describe('an iteration over all events', () => {
  test('that lags behind a flood loses nothing and repeats nothing', async () => {
    await using world = await libraryWorld(flood, { text: 'Seen.' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const events = conversation.events()
    const first = firstOf(events)
    const last = await flooded(conversation)
    expect(last).toBeGreaterThan(1024)
    const envelopes = [await first, ...(await restOf(events, last))].filter((envelope) => envelope !== undefined)
    expect(seqsOf(envelopes)).toEqual(upTo(last))
  })

  test('begins after a cursor of any earlier moment, and goes on live', async () => {
    await using world = await libraryWorld({ text: 'One.' }, { text: 'Two.' })
    const first = await world.connect()
    const before = await first.create({ cwd: world.cwd })
    const early = restOf(before.events(), 3)
    await (await before.send('one')).result
    const cursor = (await early).at(-1)
    await first.close()
    await using parley = await world.connect()
    const conversation = await parley.resume(before.id)
    const events = conversation.events({ after: { seq: cursor?.seq ?? 0, crc: cursor?.crc ?? null } })
    const turn = await conversation.send('two')
    await turn.result
    const last = conversation.state.core.seq
    expect(seqsOf(await restOf(events, last))).toEqual(upTo(last).slice(3))
  })

  test('after an event that the log does not hold is refused, and says what to do', async () => {
    await using world = await libraryWorld({ text: 'One.' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    await (await conversation.send('one')).result
    const lost = conversation.events({ after: { seq: 2, crc: '00000000' } })
    await expect(lost.next()).rejects.toMatchObject({ data: { code: 'badCursor' } })
  })

  test('ends when the conversation is closed here', async () => {
    await using world = await libraryWorld()
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const next = conversation.events().next()
    await conversation.close()
    expect(await next).toEqual({ done: true, value: undefined })
  })
})
