import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const look = { calls: [{ name: 'list_dir', args: {} }], usage: { inputTokens: 60, outputTokens: 40 } }
const answer = { text: 'Done.', usage: { inputTokens: 60, outputTokens: 40 } }
const terminal = { capabilities: ['approvals', 'limits'] }

function limited(line: string): TestPlace {
  const place = testPlace()
  appendFileSync(join(place.root, '.parley', 'config.toml'), `[limits]\n${line}\n`)
  return place
}

async function opened(place: TestPlace, model: ReturnType<typeof scriptedModel>, greeting = terminal) {
  const server = place.start({ model, facts: { price: { input: 10_000, output: 10_000 } } })
  const client = await server.connect('terminal', greeting)
  const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
  return { server, client, conversationId, watched: await client.watch(conversationId) }
}

type Watched = Awaited<ReturnType<typeof opened>>['watched']
const parked = (watched: Watched) => watched.until(({ core }) => core.turn?.parked === true)

describe('a limit of each conversation', () => {
  it.each([
    ['max_turns = 2', 'modelCalls', /^Limit reached: 2 model calls of this conversation/],
    ['max_tokens = 150', 'tokens', /^Limit reached: 200 tokens of this conversation/],
    ['max_cost = 1.5', 'costUsd', /^Limit reached: \$2 for this conversation/],
  ])('%s parks the turn before another model call, and going on allows as much again', async (line, limit, words) => {
    await using place = limited(line)
    const model = scriptedModel(look, look, look, look, answer)
    const { client, conversationId, watched } = await opened(place, model)
    await watched.send('hi')
    await parked(watched)
    expect(model.requests).toHaveLength(2)
    expect(watched.state.core.turn).toMatchObject({ limit })
    expect(watched.items().at(-1)).toMatchObject({
      type: 'notice',
      level: 'warning',
      title: expect.stringMatching(words),
    })
    const onward = { conversationId, requestKey: 'on' }
    expect(await client.request('conversation/continue', onward)).toEqual({ continued: true })
    await watched.until(({ core }) => core.turn?.parked === true && model.requests.length === 4)
    // The reply may have been lost: the same request allows nothing more.
    expect(await client.request('conversation/continue', onward)).toEqual({ continued: true })
    expect(watched.state.core.turn).toMatchObject({ parked: true })
    await client.request('conversation/continue', { conversationId })
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed', stopReason: 'done' })
  })

  it('counts over all turns', async () => {
    await using place = limited('max_turns = 2')
    const model = scriptedModel(answer, answer, answer)
    const { watched } = await opened(place, model)
    for (const text of ['one', 'two']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    await watched.send('three')
    await parked(watched)
    expect(model.requests).toHaveLength(2)
  })

  it('is waited at, and what was allowed holds, after the server ended', async () => {
    await using place = limited('max_turns = 1')
    const first = await opened(place, scriptedModel(look))
    await first.watched.send('hi')
    await parked(first.watched)
    await first.server.close()
    const model = scriptedModel(look)
    const { conversationId } = first
    const server = place.start({ model })
    const client = await server.connect('terminal', terminal)
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({ activity: 'parked' })
    const watched = await client.watch(conversationId)
    expect(model.requests).toHaveLength(0)
    await client.request('conversation/continue', { conversationId })
    await watched.until(({ core }) => core.turn?.parked === true && model.requests.length === 1)
    expect(watched.state.core.limitsFrom).toEqual({ modelCalls: 1 })
  })

  it('ends with the turn where the user stops it', async () => {
    await using place = limited('max_turns = 1')
    const { client, conversationId, watched } = await opened(place, scriptedModel(look))
    const { turnId } = await watched.send('hi')
    await parked(watched)
    await client.request('conversation/interrupt', { conversationId, ...(turnId === null ? {} : { turnId }) })
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
  })

  it('fails the turn where no client lets its user go on', async () => {
    await using place = limited('max_tokens = 50')
    const model = scriptedModel(look)
    const { watched } = await opened(place, model, { capabilities: ['approvals'] })
    await watched.send('hi')
    await watched.turnEnded()
    expect(model.requests).toHaveLength(1)
    expect(watched.state.core.lastTurn).toMatchObject({
      outcome: 'failed',
      stopReason: 'budget',
      failure: { code: 'maxTokens', message: expect.stringContaining('max_tokens of [limits] is 50') },
    })
  })

  it('in dollars asks once where the price of a call is not known', async () => {
    await using place = limited('max_cost = 1')
    const model = scriptedModel(look, look, answer)
    const server = place.start({ model })
    const client = await server.connect('terminal', terminal)
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    await watched.send('hi')
    await parked(watched)
    expect(watched.state.core.turn).toMatchObject({ limit: 'price' })
    await client.request('conversation/continue', { conversationId })
    await watched.turnEnded()
    expect(model.requests).toHaveLength(3)
  })
})
