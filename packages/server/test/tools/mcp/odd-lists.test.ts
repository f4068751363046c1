import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { type Listing, listingPlace, modelWith, tool } from './support/listing-place.ts'
import { calling } from './support/mcp-place.ts'

const free = { sandbox: 'danger-full-access' } as const

/** Offers what a server lists; the tool `go` is called where it is offered. */
async function offeredFrom(listing: Listing, more = '') {
  await using place = listingPlace(listing, more)
  const model = scriptedModel(calling('go', { q: 'VALUE' }), { text: 'ok' }, { text: 'again' })
  const talk = await place.talkTo(model, free)
  await talk.watched.send('go')
  await talk.watched.turnEnded()
  await talk.watched.send('again')
  await talk.watched.until(() => model.requests[2])
  await talk.watched.turnEnded()
  const offered = model.requests[0]?.tools.filter(({ name }) => name.startsWith('mcp__')) ?? []
  const notices = talk.watched.items().filter(({ type }) => type === 'notice')
  return {
    names: offered.map(({ name }) => name.replace('mcp__ugly__', '')),
    offered,
    told: model.requests[1]?.entries.at(-1),
    notices: notices.map((notice) => notice.title),
    levels: notices.map((notice) => ('level' in notice ? notice.level : '')),
  }
}

const starts = 'The MCP server "ugly" does not offer all of its tools as it lists them: '

describe('a list of tools', () => {
  const lists: readonly (readonly [string, Listing, readonly string[], readonly string[]])[] = [
    [
      'has pages',
      { pages: { '': { tools: [tool('go')], nextCursor: 'p2' }, p2: { tools: [tool('b')] } } },
      ['go', 'b'],
      [],
    ],
    [
      'has numbers as cursors',
      { pages: { '': { tools: [tool('go')], nextCursor: 2 }, 2: { tools: [tool('b')] } } },
      ['go', 'b'],
      [],
    ],
    ['ends with a cursor that is null', { pages: { '': { tools: [tool('go')], nextCursor: null } } }, ['go'], []],
    ['ends with an empty cursor', { pages: { '': { tools: [tool('go')], nextCursor: '' } } }, ['go'], []],
    ['ends with a cursor that is 0', { pages: { '': { tools: [tool('go')], nextCursor: 0 } } }, ['go'], []],
    [
      'has a cursor that does not advance',
      { pages: { '': { tools: [tool('go')], nextCursor: 'x' }, x: { tools: [tool('b')], nextCursor: 'x' } } },
      ['go', 'b'],
      ['its list comes back to a page that it gave before.'],
    ],
    [
      'goes in a circle',
      {
        pages: {
          '': { tools: [tool('go')], nextCursor: 'x' },
          x: { tools: [tool('b')], nextCursor: 'y' },
          y: { tools: [tool('c')], nextCursor: 'x' },
        },
      },
      ['go', 'b', 'c'],
      ['its list comes back to a page that it gave before.'],
    ],
    [
      'has pages that overlap',
      { pages: { '': { tools: [tool('go'), tool('b')], nextCursor: 'x' }, x: { tools: [tool('b'), tool('c')] } } },
      ['go', 'b', 'c'],
      ['"b" (it is listed 2 times, and the first counts).'],
    ],
    [
      'has two tools of one name',
      { pages: { '': { tools: [tool('go'), tool('go', { inputSchema: {} }), tool('b')] } } },
      ['go', 'b'],
      ['"go" (it is listed 2 times, and the first counts).'],
    ],
    [
      'has a page that is refused',
      { pages: { '': { tools: [tool('go')], nextCursor: 'x' }, x: 'Invalid cursor' } },
      ['go'],
      ['page 2 of its list was refused (Invalid cursor).'],
    ],
    [
      'has tools without a name',
      { pages: { '': { tools: [tool(''), tool(null), tool(7), null, 'x', tool('go')] } } },
      ['go'],
      ['5 tools without a name.'],
    ],
    [
      'has schemas that are none',
      { pages: { '': { tools: [tool('a', { inputSchema: [] }), tool('b', { inputSchema: 'x' }), tool('go')] } } },
      ['go'],
      ['"a" (its inputSchema is no object); "b" (its inputSchema is no object).'],
    ],
    [
      'has null for what may be absent',
      { pages: { '': { tools: [tool('go', { description: null, title: null, inputSchema: null, _meta: null })] } } },
      ['go'],
      [],
    ],
    ['has a byte order mark before it', { before: '\uFEFF', pages: { '': { tools: [tool('go')] } } }, ['go'], []],
    [
      'comes after an answer with nulls',
      {
        initialize: { instructions: null, capabilities: { tools: { listChanged: null } }, serverInfo: null },
        pages: { '': { tools: [tool('go')] } },
      },
      ['go'],
      [],
    ],
  ]

  it.each(lists)(
    'that %s offers what can be offered, and one notice says the rest',
    async (_how, listing, names, why) => {
      const seen = await offeredFrom(listing)
      expect(seen.names).toEqual(names)
      expect(seen.told).toMatchObject({ kind: 'result', text: '{"q":"VALUE"}', isError: false })
      expect(seen.notices).toEqual(why.map((one) => `${starts}${one}`))
    },
  )

  it('that is wrong in many ways is said with the first of them, and the notice has all', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `t${index}`)
    const tools = [tool('go'), ...names.map((name) => tool(name, { inputSchema: [] }))]
    const { notices, levels } = await offeredFrom({ pages: { '': { tools } } })
    expect(notices).toEqual([expect.stringMatching(/"t0" .*; "t1" .*; "t2" [^;]*; and 17 more\.$/)])
    expect(levels).toEqual(['warning'])
  })

  it('says nothing of tools that the settings leave out', async () => {
    const tools = [tool('go'), tool('bad', { inputSchema: [] })]
    const { notices } = await offeredFrom({ pages: { '': { tools } } }, 'disabled_tools = ["bad"]')
    expect(notices).toEqual([])
  })

  it('without an end is read for 100 pages', async () => {
    const page = (number: number) => ({
      tools: [tool(number === 0 ? 'go' : `t${number}`)],
      nextCursor: `p${number + 1}`,
    })
    const pages = Object.fromEntries(
      Array.from({ length: 120 }, (_, number) => [number === 0 ? '' : `p${number}`, page(number)]),
    )
    const { names, notices } = await offeredFrom({ pages })
    expect(names).toHaveLength(100)
    expect(notices).toEqual([`${starts}its list has more than 100 pages.`])
  })

  it('has null in schemas for what is absent', async () => {
    const inputSchema = {
      type: 'object',
      properties: { q: { type: 'string', title: null, default: null } },
      required: null,
    }
    const { offered } = await offeredFrom({ pages: { '': { tools: [tool('go', { inputSchema })] } } })
    expect(offered[0]?.parameters).toEqual({ type: 'object', properties: { q: { type: 'string', default: null } } })
  })
})

describe('a tool whose schema the API refuses', () => {
  const rules = {
    notAtTop: ['anyOf'],
    plainNames: true,
    arraysHaveItems: true,
    pythonPatterns: true,
    plainReferences: false,
  }
  const inputSchema = {
    type: 'object',
    properties: { 'filter[id]': { type: 'string' } },
    anyOf: [{ required: ['filter[id]'] }, { properties: { all: { type: 'boolean' } }, required: ['all'] }],
  }

  it('is offered in another form, called in its own, and one notice says so', async () => {
    await using place = listingPlace({ pages: { '': { tools: [tool('go', { inputSchema }), tool('b')] } } })
    const model = modelWith(rules, calling('go', { filter_id_: 'x', all: true }), { text: 'ok' })
    const { watched } = await place.talkTo(model, free)
    await watched.send('go')
    await watched.turnEnded()
    const [go, other] = model.requests[0]?.tools.filter(({ name }) => name.startsWith('mcp__')) ?? []
    expect(go).toMatchObject({
      description: 'Does go.\n\nIt needs one of these: filter_id_; all.',
      parameters: { type: 'object', properties: { filter_id_: { type: 'string' }, all: { type: 'boolean' } } },
    })
    expect(other).toMatchObject({ name: 'mcp__ugly__b', description: 'Does b.' })
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: '{"filter[id]":"x","all":true}' })
    expect(watched.items().filter(({ type }) => type === 'notice')).toMatchObject([
      {
        level: 'info',
        code: 'mcpToolsChanged',
        title: `The MCP server "ugly" offers tools in another form: "go" (the model's API refuses anyOf at the top of a schema, so all of it is one object).`,
      },
    ])
  })

  it('is said once in a conversation that is resumed', async () => {
    await using place = listingPlace({ pages: { '': { tools: [tool('go', { inputSchema })] } } })
    const first = await place.talkTo(modelWith(rules), free)
    await first.watched.send('go')
    await first.watched.turnEnded()
    await first.server.close()
    const client = await place.start({ model: modelWith(rules) }).connect()
    const { conversationId } = first.summary
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    await watched.send('again')
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    const said = watched.items().filter((item) => item.type === 'notice' && item.code === 'mcpToolsChanged')
    expect(said).toHaveLength(1)
  })
})

it('a list of resources has null for what is absent, and says where it is cut', async () => {
  await using place = listingPlace({
    initialize: { capabilities: { resources: {} } },
    pages: {},
    resources: {
      '': {
        resources: [{ uri: 'a:1', name: null, description: null, mimeType: null }, { uri: null }],
        nextCursor: 'x',
      },
      x: { resources: [{ uri: 'a:2', name: 'Two' }], nextCursor: 'x' },
    },
  })
  const model = scriptedModel({ calls: [{ name: 'list_mcp_resources', args: {} }] }, { text: 'ok' })
  const { watched } = await place.talkTo(model, free)
  await watched.send('go')
  await watched.turnEnded()
  expect(model.requests[1]?.entries.at(-1)).toMatchObject({
    text: 'ugly:\n  a:1\n  a:2 · Two\n  (There may be more: its list comes back to a page that it gave before.)',
  })
})
