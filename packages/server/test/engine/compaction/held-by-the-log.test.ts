import { createModelView } from '@parley/engine/src/core/model-view.ts'
import { linesOf } from '@parley/engine/test/compaction/entry-lines.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expectValid } from '@parley/engine/test/support/valid-entries.ts'
import type { ModelEntry } from '@parley/models'
import { type ConversationEvent, initialState, recover, reduce } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const long = 'word '.repeat(3000)
const look = (...paths: string[]) => ({ calls: paths.map((path) => ({ name: 'read_file', args: { path } })) })

/** Runs a conversation with clearing, two summaries, an undo and an interrupted compaction. */
async function compactedTalk(place: TestPlace) {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) place.write(name, `${name} line\n`.repeat(900))
  const model = scriptedModel(look('a', 'b'), look('c', 'd'), look('e', 'f'), look('g', 'h'), { text: long })
  const talk = await place.talk({ model, facts: { contextWindow: 22_000 } })
  const { client, watched } = talk
  const { conversationId } = watched
  const compact = async (text: string) => {
    model.script({ text })
    await client.request('conversation/compact', { conversationId })
    await watched.turnEnded()
  }
  await watched.send('read them')
  await watched.turnEnded()
  await compact('First.')
  model.script(look('a', 'b'), { text: long })
  await watched.send('and again')
  await watched.turnEnded()
  await compact('Second.')
  await client.request('conversation/compact/undo', { conversationId })
  model.script({ text: 'Half', hang: true })
  await client.request('conversation/compact', { conversationId })
  await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half'))
  await client.request('conversation/interrupt', { conversationId })
  await watched.turnEnded()
  await watched.send('last')
  await watched.turnEnded()
  return { ...talk, model }
}

describe('the view of a compacted conversation', () => {
  it('is valid for a log cut at any line, with what a recovery adds', async () => {
    await using place = testPlace()
    const { watched, server } = await compactedTalk(place)
    const { conversationId } = watched
    const { sideFiles } = server.engine.host.get(conversationId).conversation
    const [, ...lines] = place.logLines(conversationId)
    const events = lines.map((line): ConversationEvent => JSON.parse(line).event)
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['context.cleared', 'context.compacted', 'context.restored']),
    )
    for (let kept = 1; kept <= events.length; kept++) {
      const cut = events.slice(0, kept)
      const state = cut.reduce(
        (folded, event, index) => reduce(folded, { conversationId, seq: index + 1, at: 0, event }),
        initialState(conversationId),
      )
      const view = createModelView()
      for (const [index, event] of [...cut, ...recover(state)].entries())
        view.apply(event, { seq: index + 1, place: 0 })
      const entries = view.request.entries(sideFiles)
      expectValid(entries)
      expect(view.request.entries(sideFiles).every((entry, index) => entry === entries[index])).toBe(true)
      // A model that wants a user first and last gets one, unless an answer was the last word.
      if (entries.length > 0) expect(entries[0]?.kind).toBe('user')
    }
  })

  it('is the same when folded live and when read back', async () => {
    await using place = testPlace()
    const { watched, server } = await compactedTalk(place)
    const { conversation } = server.engine.host.get(watched.conversationId)
    const [, ...lines] = place.logLines(watched.conversationId)
    const view = createModelView()
    for (const line of lines) {
      const { event, seq } = JSON.parse(line)
      view.apply(event, { seq, place: 0 })
    }
    const { sideFiles } = conversation
    expect(view.request.entries(sideFiles)).toEqual(conversation.view.request.entries(sideFiles))
    expect(view.request.counted(sideFiles)).toEqual(conversation.view.request.counted(sideFiles))
  })

  it('begins a request with the bytes of the one before, as long as nothing was compacted', async () => {
    await using place = testPlace()
    const { watched, model } = await compactedTalk(place)
    const before = model.requests.at(-1)?.entries ?? []
    await watched.send('once more')
    await watched.turnEnded()
    const after = model.requests.at(-1)?.entries ?? []
    expect(before.every((entry: ModelEntry, index) => entry === after[index])).toBe(true)
  })

  it('is whole in a fork from before the compaction', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: long }, { text: 'Summary.' }, { text: 'ok' })
    const { client, watched } = await place.talk({ model, facts: { contextWindow: 22_000 } })
    const { conversationId } = watched
    await watched.send('one')
    await watched.turnEnded()
    const at = watched.cursor.seq
    await client.request('conversation/compact', { conversationId })
    await watched.turnEnded()
    const fork = await client.request('conversation/fork', { conversationId, at })
    const forked = await client.watch(fork.conversationId)
    await forked.send('two')
    await forked.turnEnded()
    expect(linesOf(model.requests[2])).toEqual([
      'user: <environment>',
      'user: one',
      expect.stringMatching(/^response: word word/),
      'user: two',
    ])
  })
})
