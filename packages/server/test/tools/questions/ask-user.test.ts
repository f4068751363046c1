import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { askedTalk } from '../../engine/support/asked-talk.ts'
import { testPlace } from '../../engine/support/test-server.ts'

const questions = [
  { header: 'Database', text: 'Which database?', options: ['Postgres', 'SQLite'], other: true },
  { header: 'Extras', text: 'What else?', options: ['cache', 'queue'], multiple: true },
  { header: 'Name', text: 'Which name?' },
]

/** A turn in which the model asks, up to the form. */
function asked(ports: object = {}) {
  const model = scriptedModel({ calls: [{ name: 'ask_user', args: { questions } }] }, { text: 'ok' })
  return askedTalk(testPlace(), model, (place) => place.talk({ model, ...ports }))
}

describe('a question of the model', () => {
  it('is an approval with one form for all questions', async () => {
    await using talk = await asked()
    expect(talk.approval).toMatchObject({
      kind: 'question',
      title: 'Ask: Database, Extras, Name',
      decisions: ['approved', 'denied', 'abort'],
      form: {
        fields: [
          { name: 'q1', type: 'choice', required: false },
          { name: 'q1_other', type: 'string', required: false },
          { name: 'q2', title: 'Extras', type: 'choices', choices: [{ value: 'cache' }, { value: 'queue' }] },
          { name: 'q3', type: 'string', required: true },
        ],
      },
    })
  })

  it('gives the model the answers as JSON, and shows them in the item', async () => {
    await using talk = await asked()
    await talk.client.request('approval/decide', talk.answer('approved', { q1: 'SQLite', q2: ['queue'], q3: 'ada' }))
    await talk.watched.turnEnded()
    expect(talk.told()).toMatchObject({
      text: '{"outcome":"answered","answers":[{"header":"Database","answer":"SQLite"},{"header":"Extras","answer":["queue"]},{"header":"Name","answer":"ada"}]}',
    })
    const item = talk.watched.items().find(({ type }) => type === 'toolCall')
    const output = { head: 'Database → SQLite\nExtras → queue\nName → ada' }
    expect(item).toMatchObject({ status: 'completed', output })
  })

  it('takes a text in place of an option', async () => {
    await using talk = await asked()
    await talk.client.request('approval/decide', talk.answer('approved', { q1_other: 'DuckDB', q3: 'ada' }))
    await talk.watched.turnEnded()
    expect(JSON.stringify(talk.told())).toContain(
      '{\\"header\\":\\"Database\\",\\"answer\\":null,\\"other\\":\\"DuckDB\\"}',
    )
  })

  it.each([
    ['a missing answer', {}, 'answers.q3'],
    ['an option that is none', { q1: 'Oracle', q3: 'x' }, 'answers.q1'],
    ['a choice that is none', { q2: ['cache', 'disk'], q3: 'x' }, 'answers.q2'],
    ['a text where several may be chosen', { q2: 'cache', q3: 'x' }, 'answers.q2'],
    ['a field that is none', { q9: 'x', q3: 'x' }, 'answers.q9'],
    ['a text that is too long', { q3: 'x'.repeat(8193) }, 'answers.q3'],
  ])('rejects %s and stays open', async (_, answers, field) => {
    await using talk = await asked()
    const refusal = await talk.client.refused('approval/decide', talk.answer('approved', answers))
    expect(refusal).toMatchObject({ code: 'invalidParams', detail: { field } })
    await talk.client.request('approval/decide', talk.answer('denied'))
    await talk.watched.turnEnded()
  })

  it('that is declined says so to the model and denies no call', async () => {
    await using talk = await asked()
    await talk.client.request('approval/decide', talk.answer('denied'))
    await talk.watched.turnEnded()
    expect(talk.told()).toMatchObject({ text: '{"outcome":"declined","by":"user"}' })
    expect(talk.watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({ status: 'completed' })
  })

  it('that is stopped ends the turn', async () => {
    await using talk = await asked()
    await talk.client.request('approval/decide', talk.answer('abort'))
    await talk.watched.turnEnded()
    const item = talk.watched.items().find(({ type }) => type === 'toolCall')
    expect(item).toMatchObject({ modelText: '{"outcome":"cancelled","by":"user"}' })
  })

  it('keeps its answers when the mode has changed meanwhile', async () => {
    await using talk = await asked()
    const { conversationId } = talk.summary
    await talk.client.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
    await talk.client.request('approval/decide', talk.answer('approved', { q3: 'ada' }))
    await talk.watched.turnEnded()
    expect(JSON.stringify(talk.model.requests[1]?.entries)).toContain('\\"outcome\\":\\"answered')
  })
})

it('nobody is asked under the approval policy never, and the model is told', async () => {
  await using place = testPlace()
  const model = scriptedModel({ calls: [{ name: 'ask_user', args: { questions } }] }, { text: 'ok' })
  const { watched } = await place.talk({ model }, { approvalPolicy: 'never' })
  await watched.send('go')
  await watched.turnEnded()
  expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('notAsked')
})

it.each([
  ['no questions', []],
  ['too many questions', Array.from({ length: 7 }, () => questions[2])],
  ['options that are the same', [{ header: 'a', text: 'b', options: ['x', 'x'] }]],
  ['a text over its bytes', [{ header: 'a', text: 'é'.repeat(1001) }]],
])('a call with %s is rejected', async (_, wrong) => {
  await using place = testPlace()
  const model = scriptedModel({ calls: [{ name: 'ask_user', args: { questions: wrong } }] }, { text: 'ok' })
  const { watched } = await place.talk({ model })
  await watched.send('go')
  await watched.turnEnded()
  expect(watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({ status: 'failed' })
})

it('a question that was open when its process ended is asked again with the same id', async () => {
  await using place = testPlace()
  const calls = [{ name: 'ask_user', args: { questions } }]
  const { server, watched: before } = await place.talk({ model: scriptedModel({ calls }) })
  const { conversationId } = before
  await before.send('go')
  const { id: approvalId } = await before.approval()
  await server.close()
  const model = scriptedModel({ text: 'ok' })
  const client = await place.start({ model }).connect()
  await client.request('conversation/resume', { conversationId })
  const watched = await client.watch(conversationId)
  expect(await watched.approval()).toMatchObject({ id: approvalId, kind: 'question' })
  await client.request('approval/decide', { conversationId, approvalId, decision: 'approved', answers: { q3: 'ada' } })
  await watched.turnEnded()
  expect(JSON.stringify(model.requests[0]?.entries.at(-1))).toContain('answered')
})
