import { type Answer, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import type { ModelEntry, ModelRequest } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const mark = 'MARK'
const holdsMark = (entry: ModelEntry) => JSON.stringify(entry).includes(mark)

interface Strictness {
  /** True for a provider that says which entry it refuses. */
  readonly names: boolean
}

/** Model that refuses each request with a mark in it, and else goes on with its script. */
function strictModel({ names }: Strictness, ...answers: readonly Answer[]) {
  const left = [...answers]
  const step = ({ entries }: ModelRequest): Answer => {
    const at = entries.findIndex(holdsMark)
    if (at < 0) return left.shift() ?? { text: 'Done.' }
    const message = 'Strict did not accept the request. It said: no marks.'
    const refused = names ? [at] : []
    return { failure: { code: 'invalidRequest', message, retry: 'never', status: 400, refused } }
  }
  return scriptedModel(...Array.from({ length: 40 }, () => step))
}

const long = 'word '.repeat(2_000)

const call = { name: 'list_dir', args: { path: '.' } }

async function start(place: TestPlace, strictness: Strictness, ...answers: readonly Answer[]) {
  const model = strictModel(strictness, ...answers)
  const { watched, client, server } = await place.talk({ clock: testClock(), model, facts: { contextWindow: 100_000 } })
  const { conversationId } = watched
  const say = async (text: string) => {
    await watched.send(text)
    await watched.turnEnded()
    return watched.state.core.lastTurn
  }
  const leaveOut = async (params: { readonly half?: true; readonly itemIds?: string[] } = {}) => {
    const result = await client.request('conversation/context/leaveOut', { conversationId, ...params })
    await watched.until(({ core }) => core.lastTurn?.id === result.turnId)
    return result
  }
  const sent = () => JSON.stringify(model.requests.at(-1)?.entries)
  return { model, watched, client, server, conversationId, say, leaveOut, sent }
}

describe('a history that the provider refuses', () => {
  it.each([
    ['a message of the user', 'say MARK', [], /a message of the user "say MARK"/],
    ['an answer', 'go', [{ text: 'It is MARK.' }], /an answer of the model "It is MARK\."/],
    [
      'the result of a call',
      'go',
      [{ text: 'I look.', calls: [{ name: 'list_dir', args: { path: 'MARK' } }] }],
      /an answer of the model "I look\..*, with its calls and their results/,
    ],
  ])('names %s, and goes on without it', async (_, first, answers, words) => {
    await using place = testPlace()
    const talk = await start(place, { names: true }, ...answers)
    await talk.say(first)
    const end = await talk.say('and now?')
    expect(end).toMatchObject({ outcome: 'failed', failure: { code: 'invalidRequest' } })
    expect(end?.failure?.message).toMatch(/`\/repair` leaves it out and goes on/)
    expect(end?.failure?.refused?.what).toMatch(words)
    const { itemIds } = end?.failure?.refused ?? { itemIds: [] }
    expect(itemIds.length).toBeGreaterThan(0)
    const left = await talk.leaveOut()
    expect(left.itemIds).toEqual(itemIds)
    expect(talk.watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(talk.sent()).not.toContain(mark)
    expect(talk.sent()).toContain('and now?')
    expect(talk.sent()).toContain('It is left out, because the provider of the model refused it.')
    const cleared = talk.watched.events.flatMap(({ event }) => (event.type === 'context.cleared' ? [event] : []))
    expect(cleared).toMatchObject([{ itemIds, why: 'refused' }])
  })

  it('never sends a call without its result, or a result without its call', async () => {
    await using place = testPlace()
    const calls = [call, { name: 'list_dir', args: { path: 'MARK' } }, call]
    const talk = await start(place, { names: true }, { text: 'I look.', calls })
    await talk.say('go')
    await talk.leaveOut()
    const entries = talk.model.requests.at(-1)?.entries ?? []
    expect(entries.some(({ kind }) => kind === 'result')).toBe(false)
    expect(talk.watched.items().filter(({ type }) => type === 'toolCall')).toHaveLength(3)
  })

  it('is whole again once that is undone, and refused again', async () => {
    await using place = testPlace()
    const talk = await start(place, { names: true })
    await talk.say('say MARK')
    await talk.leaveOut()
    const { conversationId } = talk
    await talk.client.request('conversation/compact/undo', { conversationId })
    expect(talk.watched.events.at(-1)?.event.type).toBe('context.restored')
    expect(await talk.say('again')).toMatchObject({
      outcome: 'failed',
      failure: { refused: { seqs: [expect.any(Number)] } },
    })
    expect(talk.sent()).toContain(mark)
  })

  it('stays as it was left in a resume, a fork and a replay', async () => {
    await using place = testPlace()
    // Pieces of streamed text, which a replay does not write again, have its events numbered otherwise.
    const talk = await start(place, { names: true }, { text: ['It ', 'came ', 'in pieces.'] })
    await talk.say('hello')
    await talk.say('say MARK')
    await talk.leaveOut()
    const { conversationId } = talk
    await talk.server.close()
    const model = strictModel({ names: true })
    const client = await place.start({ clock: testClock(), model }).connect()
    await client.request('conversation/resume', { conversationId })
    const resumed = await client.watch(conversationId)
    await resumed.send('go on')
    await resumed.turnEnded()
    expect(resumed.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    const fork = await client.request('conversation/fork', { conversationId })
    const forked = await client.watch(fork.conversationId)
    await forked.send('go on')
    await forked.turnEnded()
    expect(forked.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    for (const request of model.requests) expect(JSON.stringify(request.entries)).not.toContain(mark)
    for (const conversation of [conversationId, fork.conversationId])
      expect(await client.request('replay/run', { conversation })).toMatchObject({ difference: null })
  })

  it('of which nothing is named is halved from its end, only when a person asks for it', async () => {
    await using place = testPlace()
    const talk = await start(place, { names: false }, { text: 'One.' }, { text: 'Two.' }, { text: 'MARK' })
    await talk.say('first')
    await talk.say('second')
    await talk.say('third')
    const end = await talk.say('fourth')
    expect(end?.failure).toMatchObject({ refused: { itemIds: [], seqs: [], what: '' } })
    expect(end?.failure?.message).toContain('`/repair half` leaves out the newest half')
    const { conversationId } = talk
    const refused = await talk.client.refused('conversation/context/leaveOut', { conversationId })
    expect(refused).toMatchObject({ code: 'invalidParams' })
    await talk.leaveOut({ half: true })
    expect(talk.watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(talk.sent()).toContain('second')
    expect(talk.sent()).not.toMatch(/Two|third|fourth/)
    expect(talk.sent().match(/is left out, because/g)).toHaveLength(1)
  })

  it.each([
    ['the newest half', { half: true }, 'half'],
    ['what it refused', {}, 'itemIds'],
  ] as const)('is left alone where the provider accepts it, when asked to leave out %s', async (_, params, field) => {
    await using place = testPlace()
    const talk = await start(place, { names: false }, { text: 'One.' }, { text: 'Two.' }, { text: 'MARK' })
    const { conversationId } = talk
    const refused = () => talk.client.refused('conversation/context/leaveOut', { conversationId, ...params })
    const message = expect.stringContaining('did not end because the provider refused')
    expect(await refused()).toMatchObject({ code: 'invalidParams', detail: { field }, message })
    await talk.say('first')
    expect(await refused()).toMatchObject({ code: 'invalidParams', detail: { field }, message })
    await talk.say('second')
    await talk.say('third')
    await talk.say('fourth')
    await talk.leaveOut({ half: true })
    const asked = talk.model.requests.length
    expect(await refused()).toMatchObject({ code: 'invalidParams', detail: { field }, message })
    expect(talk.model.requests).toHaveLength(asked)
    expect(talk.sent()).toContain('second')
  })

  it('is left out once for a request that is sent twice', async () => {
    await using place = testPlace()
    const talk = await start(place, { names: true })
    await talk.say('say MARK')
    const { conversationId } = talk
    const requestKey = 'key-1'
    const params = { conversationId, requestKey }
    const first = await talk.client.request('conversation/context/leaveOut', params)
    await talk.watched.until(({ core }) => core.lastTurn?.id === first.turnId)
    expect(await talk.client.request('conversation/context/leaveOut', params)).toMatchObject({ turnId: first.turnId })
    expect(talk.watched.events.filter(({ event }) => event.type === 'context.cleared')).toHaveLength(1)
    expect(
      await talk.client.refused('conversation/context/leaveOut', { conversationId, itemIds: ['i-none'] }),
    ).toMatchObject({
      code: 'invalidParams',
    })
  })

  it('keeps out of a summary what was left out', async () => {
    await using place = testPlace()
    const talk = await start(place, { names: true }, { text: long }, { text: long }, { text: 'Summary.' })
    await talk.say('say MARK')
    await talk.leaveOut()
    await talk.say('more')
    const { conversationId } = talk
    const { turnId } = await talk.client.request('conversation/compact', { conversationId })
    await talk.watched.until(({ core }) => core.lastTurn?.id === turnId)
    expect(await talk.say('and?')).toMatchObject({ outcome: 'completed' })
    expect(talk.sent()).toContain('Summary.')
    expect(talk.sent()).not.toContain(mark)
  })
})
