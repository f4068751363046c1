import { linesOf, textOf } from '@parley/engine/test/compaction/entry-lines.ts'
import { type Answer, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const long = 'word '.repeat(6000)
const window = { facts: { contextWindow: 20_000 } }
const tooLong: Answer = { failure: { code: 'contextTooLong', message: 'Too long for m1.', retry: 'never' } }
const look = (path: string): Answer => ({ calls: [{ name: 'read_file', args: { path } }] })

/** Returns the events of compactions, and the model calls. */
const compactions = (story: readonly string[]) =>
  story.filter((line) => /^context\.(cleared|compacted)|contextCompaction|^model\.requested|^turn\.ended/.test(line))

describe('a conversation that almost fills the window', () => {
  it('is compacted before the next model call', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: long }, { text: '## Goal\nTidy up.' }, { text: 'ok' })
    const { watched } = await place.talk({ model, ...window })
    for (const text of ['one', 'two', 'three']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    expect(linesOf(model.requests[3])).toMatchInlineSnapshot(`
      [
        "user: <environment>",
        "user: [Carried over word for word by parley: message 1] one",
        "user: [Carried over word for word by parley: message 2] two",
        "response: [Summary of the conversation before this point. A model wrote it: it m",
        "user: [Notes of parley, not written by the user. The plan and what calls are",
        "user: three",
      ]
    `)
    expect(watched.items().find(({ type }) => type === 'contextCompaction')).toMatchObject({ trigger: 'auto' })
  })

  it('has its old results cleared first, in one step, and they can be read again', async () => {
    await using place = testPlace()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
      place.write(name, `${name} ${'x '.repeat(20)}\n`.repeat(300))
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const model = scriptedModel(...names.map(look), { text: 'ok' })
    const { watched } = await place.talk({ model, ...window })
    await watched.send('read them')
    await watched.turnEnded()
    expect(compactions(watched.story())).toMatchInlineSnapshot(`
      [
        "model.requested 1",
        "model.requested 1",
        "model.requested 1",
        "model.requested 1",
        "context.cleared",
        "item.completed contextCompaction completed",
        "model.requested 1",
        "model.requested 1",
        "context.cleared",
        "item.completed contextCompaction completed",
        "model.requested 1",
        "model.requested 1",
        "context.cleared",
        "item.completed contextCompaction completed",
        "model.requested 1",
        "turn.ended completed",
      ]
    `)
    const cleared = model.requests.at(-1)?.entries.filter((entry) => textOf(entry).startsWith('[Cleared'))
    expect(cleared?.map(textOf)[0]).toMatch(
      /^\[Cleared to make room: read_file: Read a, \d+ bytes\. read_file "output:i-\w+" shows it again\.\]$/,
    )
    const itemId = /output:(i-\w+)/.exec(textOf(cleared?.[0]))?.[1]
    model.script(look(`output:${itemId}`), { text: 'ok' })
    await watched.send('again')
    await watched.turnEnded()
    expect(textOf(model.requests.at(-1)?.entries.at(-1))).toContain('a x x x')
  })

  it('goes by the limit of the configuration', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: 'Summary.' }, { text: 'ok' })
    const config = { model_auto_compact_token_limit: '6000', compact_prompt: 'In Welsh please.' }
    const { watched } = await place.talk({ model, facts: { contextWindow: null } }, { config })
    await watched.send('one')
    await watched.turnEnded()
    await watched.send('two')
    await watched.turnEnded()
    expect(textOf(model.requests[1]?.entries.at(-1))).toBe('In Welsh please.')
  })

  it('is not compacted again before an undone compaction has held for a turn', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: long }, { text: 'Summary.' }, { text: 'ok' }, { text: 'held' })
    const { client, watched } = await place.talk({ model, ...window })
    const { conversationId } = watched
    for (const text of ['one', 'two', 'three']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    await client.request('conversation/compact/undo', { conversationId })
    await watched.send('four')
    await watched.turnEnded()
    expect(linesOf(model.requests.at(-1)).slice(-2)).toEqual(['response: ok', 'user: four'])
    model.script({ text: 'Another summary.' }, { text: 'ok' })
    await watched.send('five')
    await watched.turnEnded()
    expect(watched.items().filter(({ type }) => type === 'contextCompaction')).toHaveLength(2)
  })
})

describe('a summary', () => {
  it('is asked of the model that the configuration names, without reasoning of the first', async () => {
    await using place = testPlace()
    const model = scriptedModel({ reasoning: 'Hm.', text: long }, { text: 'Summary.' }, { text: 'ok' })
    const config = { model_auto_compact_token_limit: '6000', compact_model: 'small' }
    const { watched } = await place.talk({ model, facts: { contextWindow: null } }, { config })
    await watched.send('one')
    await watched.turnEnded()
    await watched.send('two')
    await watched.turnEnded()
    expect(model.requests.map(({ model: name }) => name)).toEqual(['m1', 'small', 'm1'])
    expect(model.requests[1]?.entries.find(({ kind }) => kind === 'response')).toMatchObject({
      adapter: 'none',
      parts: [],
    })
  })

  it('that fails is asked for once in a turn, which goes on', async () => {
    await using place = testPlace()
    place.write('a', 'a')
    const down: Answer = { failure: { code: 'auth', message: 'The key is wrong.', retry: 'never' } }
    const model = scriptedModel({ text: long }, { text: long }, down, look('a'), look('a'), { text: 'ok' })
    const { watched } = await place.talk({ model, ...window })
    for (const text of ['one', 'two', 'three']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    const compactions = watched.items().filter(({ type }) => type === 'contextCompaction')
    expect(compactions).toMatchObject([{ status: 'failed', title: 'Not compacted: The key is wrong.' }])
    expect(watched.items().at(-1)).toMatchObject({ text: 'ok' })
  })
})

describe('a request that the provider finds too long', () => {
  it('is repeated once after a compaction', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, tooLong, { text: 'Summary.' }, { text: 'ok' })
    const { watched } = await place.talk({ model, facts: { contextWindow: null } })
    await watched.send('one')
    await watched.turnEnded()
    await watched.send('two')
    await watched.turnEnded()
    expect(compactions(watched.story().slice(-16))).toMatchInlineSnapshot(`
      [
        "turn.ended completed",
        "model.requested 1",
        "item.started contextCompaction proposed",
        "item.started contextCompaction inProgress",
        "context.compacted",
        "item.completed contextCompaction completed",
        "model.requested 1",
        "turn.ended completed",
      ]
    `)
    expect(linesOf(model.requests[3]).slice(1)).toMatchInlineSnapshot(`
      [
        "user: [Carried over word for word by parley: message 1] one",
        "response: [Summary of the conversation before this point. A model wrote it: it m",
        "user: [Notes of parley, not written by the user. The plan and what calls are",
        "user: two",
      ]
    `)
  })

  it('ends the turn when it is still too long', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, tooLong, { text: 'Summary.' }, tooLong)
    const { watched } = await place.talk({ model, facts: { contextWindow: null } })
    await watched.send('one')
    await watched.turnEnded()
    await watched.send('two')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'contextTooLong' } })
    expect(model.requests).toHaveLength(4)
  })

  it('is repeated with old results cleared when no summary can be had', async () => {
    await using place = testPlace()
    place.write('big', 'x '.repeat(4000))
    const down: Answer = { failure: { code: 'auth', message: 'The key is wrong.', retry: 'never' } }
    const model = scriptedModel(look('big'), { text: 'read it' }, tooLong, down, { text: 'ok' })
    const { watched } = await place.talk({ model, facts: { contextWindow: null } })
    await watched.send('one')
    await watched.turnEnded()
    await watched.send('two')
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'contextCompaction')).toMatchObject({
      status: 'completed',
      title: expect.stringMatching(/^Cleared 1 old output: /),
      text: 'No summary was written: The key is wrong.',
      failure: { code: 'auth' },
    })
    expect(watched.items().at(-1)).toMatchObject({ text: 'ok' })
  })

  it('ends the turn with what can be done when nothing can be compacted', async () => {
    await using place = testPlace()
    const down: Answer = { failure: { code: 'auth', message: 'The key is wrong.', retry: 'never' } }
    const model = scriptedModel({ text: long }, tooLong, down)
    const { watched } = await place.talk({ model, facts: { contextWindow: null } })
    await watched.send('one')
    await watched.turnEnded()
    await watched.send('two')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn?.failure).toMatchObject({
      code: 'contextTooLong',
      message: expect.stringMatching(/could not be compacted: The key is wrong\. Nothing is lost\. Choose a model/),
    })
  })

  it('is summarised in half its length when the request for the summary is too long too', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { text: long },
      { text: 'short' },
      tooLong,
      tooLong,
      { text: 'Summary.' },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model, facts: { contextWindow: null } })
    for (const text of ['one', 'two', 'three']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    expect(linesOf(model.requests[4])).toMatchInlineSnapshot(`
      [
        "user: <environment>",
        "user: one",
        "response: word word word word word word word word word word word word word word ",
        "user: two",
        "response: short",
        "user: This request comes from parley, the program around this conversation, ",
      ]
    `)
    expect(watched.items().at(-1)).toMatchObject({ text: 'ok' })
  })
})
