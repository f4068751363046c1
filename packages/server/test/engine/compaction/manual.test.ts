import { linesOf, textOf } from '@parley/engine/test/compaction/entry-lines.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const long = 'word '.repeat(2000)
const wide = { facts: { contextWindow: 100_000 } }

describe('a compaction that the user asks for', () => {
  it('runs in a turn of its own, and the next request begins with the carried words and the summary', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: '## Goal\nTidy up.' }, { text: 'ok' })
    const { client, watched } = await place.talk({ model, ...wide })
    const { conversationId } = watched
    await watched.send('Never touch main.ts')
    await watched.turnEnded()
    await client.request('conversation/compact', { conversationId, instructions: 'the rule about main.ts' })
    await watched.turnEnded()
    expect(watched.story().slice(-7)).toMatchInlineSnapshot(`
      [
        "turn.started compaction",
        "item.started contextCompaction proposed",
        "item.started contextCompaction inProgress",
        "usage.updated",
        "context.compacted",
        "item.completed contextCompaction completed",
        "turn.ended completed",
      ]
    `)
    expect(linesOf(model.requests[1]).at(-1)).toContain('user: This request comes from parley')
    expect(textOf(model.requests[1]?.entries.at(-1))).toContain(
      'The user says what matters in it: the rule about main.ts',
    )
    await watched.send('go on')
    await watched.turnEnded()
    expect(linesOf(model.requests[2])).toMatchInlineSnapshot(`
      [
        "user: <environment>",
        "user: [Carried over word for word by parley: message 1] Never touch main.ts",
        "response: [Summary of the conversation before this point. A model wrote it: it m",
        "user: [Notes of parley, not written by the user. The plan and what calls are",
        "user: go on",
      ]
    `)
    expect(watched.items().find(({ type }) => type === 'contextCompaction')).toMatchObject({
      status: 'completed',
      trigger: 'manual',
      text: '## Goal\nTidy up.',
      title: expect.stringMatching(/^Compacted: [\d,]+ tokens → [\d,]+ tokens$/),
    })
  })

  it('sends the request again byte for byte after a resume', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: 'Summary.' }, { text: 'ok' })
    const { client, watched, server } = await place.talk({ model, ...wide })
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    await client.request('conversation/compact', { conversationId })
    await watched.turnEnded()
    await watched.send('two')
    await watched.turnEnded()
    await server.close()
    const again = scriptedModel({ text: 'three' })
    const next = place.start({ model: again, ...wide })
    const resumed = await next.connect()
    await resumed.request('conversation/resume', { conversationId })
    const later = await resumed.watch(conversationId)
    await later.send('three')
    await later.turnEnded()
    const sent = model.requests[2]?.entries ?? []
    expect(again.requests[0]?.entries.slice(0, sent.length)).toEqual(sent)
  })

  it('changes nothing when it is interrupted, and is rejected while one is under way', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: 'Half a summ', hang: true }, { text: 'ok' })
    const { client, watched } = await place.talk({ model, ...wide })
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    await client.request('conversation/compact', { conversationId })
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half a summ'))
    expect(await client.refused('conversation/compact', { conversationId })).toMatchObject({ code: 'invalidParams' })
    await client.request('conversation/interrupt', { conversationId })
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'contextCompaction')).toMatchObject({
      status: 'interrupted',
      title: 'Not compacted: interrupted',
    })
    await watched.send('two')
    await watched.turnEnded()
    expect(model.requests[2]?.entries).toHaveLength(4)
  })

  it('waits for the calls of a running turn, and keeps their round where it is small', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const gate = Promise.withResolvers<void>()
    const model = scriptedModel(
      { text: long },
      { text: 'I look.', calls: [{ name: 'read_file', args: { path: 'a.txt' } }], gate: gate.promise },
      { text: 'Summary.' },
      { text: 'ok' },
    )
    const { client, watched } = await place.talk({ model, ...wide })
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    await watched.send('two')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'I look.'))
    await client.request('conversation/compact', { conversationId })
    gate.resolve()
    await watched.turnEnded()
    expect(linesOf(model.requests[3])).toMatchInlineSnapshot(`
      [
        "user: <environment>",
        "user: [Carried over word for word by parley: message 1] one",
        "user: [Carried over word for word by parley: message 2] two",
        "response: [Summary of the conversation before this point. A model wrote it: it m",
        "user: [Notes of parley, not written by the user. The plan and what calls are",
        "response: I look.",
        "result:  1 alpha [lines 1-1 of 1, file of 6 bytes]",
      ]
    `)
  })

  it('is rejected before the model has answered', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    expect(await client.refused('conversation/compact', { conversationId })).toMatchObject({
      code: 'invalidParams',
      message: 'There is nothing to compact yet: the model has not answered since the last time.',
    })
  })
})

describe('an undone compaction', () => {
  it('gives the whole conversation back', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: 'Summary.' }, { text: 'ok' })
    const { client, watched } = await place.talk({ model, ...wide })
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    await client.request('conversation/compact', { conversationId })
    await watched.turnEnded()
    await client.request('conversation/compact/undo', { conversationId })
    await watched.send('two')
    await watched.turnEnded()
    expect(linesOf(model.requests[2])).toMatchInlineSnapshot(`
      [
        "user: <environment>",
        "user: one",
        "response: word word word word word word word word word word word word word word ",
        "user: two",
      ]
    `)
    expect(await client.refused('conversation/compact/undo', { conversationId })).toMatchObject({
      message: "Nothing is left out of the model's view, so there is nothing to undo.",
    })
  })

  it('is refused with the numbers where it would not fit the window', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long.repeat(10) }, { text: 'Summary.' })
    const { client, watched, server } = await place.talk({ model, facts: { contextWindow: 200_000 } })
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    await client.request('conversation/compact', { conversationId })
    await watched.turnEnded()
    await server.close()
    const small = await place.start({ model, facts: { contextWindow: 20_000 } }).connect()
    await small.request('conversation/resume', { conversationId })
    const refused = await small.refused('conversation/compact/undo', { conversationId })
    expect(refused.message).toMatch(/would have about [\d,]+ tokens, and the window of m1 has 20,000/)
    expect(refused.detail).toMatchObject({ contextWindow: 20_000, tokens: expect.any(Number) })
  })
})
