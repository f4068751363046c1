import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { listingPlace, tool } from './support/listing-place.ts'
import { calling, serverIn } from './support/mcp-place.ts'

const free = { sandbox: 'danger-full-access' } as const

describe('the result of a call', () => {
  const results: readonly (readonly [string, object, object])[] = [
    [
      'null as its content',
      { result: { content: null, structuredContent: null, isError: null } },
      { text: '(nothing)', isError: false },
    ],
    ['a text as its content', { result: { content: 'plain' } }, { text: 'plain', isError: false }],
    ['no content', { result: {} }, { text: '(nothing)', isError: false }],
    [
      'null in a block',
      {
        result: {
          content: [
            { type: 'text', text: 'a', mimeType: null },
            { type: 'text', text: null },
          ],
        },
      },
      { text: 'a\n{"type":"text","text":null}' },
    ],
    ['blocks that are none', { result: { content: ['a', 7, null] } }, { text: 'a\n7\nnull' }],
    [
      'an object as its content',
      { result: { content: { type: 'text' } } },
      {
        text: 'The call of the MCP server "ugly" failed: it has run, but its answer has an object as "content" instead of a list',
        isError: true,
      },
    ],
    [
      'a number as its content',
      { result: { content: 42 } },
      { text: expect.stringContaining('its answer has a number as "content" instead of a list') },
    ],
    [
      'a list in its place',
      { result: [1] },
      { text: expect.stringContaining('its answer is not valid MCP: it has a list where its result belongs') },
    ],
    [
      'null in its place',
      { result: null },
      { text: expect.stringContaining('it has nothing where its result belongs') },
    ],
    [
      'null as its error',
      { result: { content: [{ type: 'text', text: 'a' }] }, error: null },
      { text: 'a', isError: false },
    ],
    ['a text as its error', { error: 'no luck' }, { text: 'The call of the MCP server "ugly" failed: no luck' }],
    [
      'an error without a code',
      { error: { message: 'no luck' } },
      { text: 'The call of the MCP server "ugly" failed: no luck' },
    ],
  ]

  it.each(results)('with %s reaches the model in words', async (_what, answer, expected) => {
    await using place = listingPlace({ pages: { '': { tools: [tool('go')] } }, calls: { go: answer } })
    const model = scriptedModel(calling('go'), { text: 'ok' })
    const talk = await place.talkTo(model, free)
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject(expected)
    expect(await serverIn(talk, 'ready')).toMatchObject({ restarts: 0 })
  })
})
