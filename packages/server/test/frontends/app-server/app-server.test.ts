import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { appClient } from './app-client.ts'
import { opened, shell, text, turn } from './threads.ts'

describe('the handshake of an app-server', () => {
  it('comes first, once, and names what is missing', async () => {
    await using place = testPlace()
    await using client = appClient(place.start())
    const errorOf = async (method: string, params?: object) => (await client.ask(method, params))['error']
    expect(await errorOf('thread/list', {})).toEqual({ code: -32600, message: 'Not initialized' })
    expect(await errorOf('no/such', {})).toEqual({ code: -32600, message: 'Not initialized' })
    expect(await errorOf('initialize', {})).toMatchObject({ message: 'Invalid request: missing field `clientInfo`' })
    await client.initialize()
    expect(await errorOf('initialize', { clientInfo: { name: 'x', version: '1' } })).toEqual({
      code: -32600,
      message: 'Already initialized',
    })
    expect(await errorOf('thread/read')).toEqual({ code: -32600, message: 'Invalid request: missing field `params`' })
    expect(await errorOf('thread/read', { threadId: 'x' })).toMatchObject({ message: 'invalid thread id: x' })
    expect(await errorOf('no/such', {})).toMatchObject({
      code: -32600,
      message: expect.stringContaining('unknown variant `no/such`, expected one of `initialize`'),
    })
  })

  it('answers what is no JSON, and goes on', async () => {
    await using place = testPlace()
    await using client = appClient(place.start())
    await client.initialize()
    client.send('{not json')
    expect(await client.until(({ id }) => id === null)).toMatchObject({ error: { code: -32700 } })
    expect(await client.result('thread/loaded/list', {})).toEqual({ data: [], nextCursor: null })
  })
})

describe('a turn of an app-server', () => {
  it('is told as Codex tells it', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ text: 'Hello.' }) })
    await using _ = client
    const done = await turn(client, threadId, 'hi')
    expect(done).toMatchObject({ status: 'completed', itemsView: 'summary', items: [{ text: 'Hello.' }] })
    expect(client.story()).toEqual([
      ...['thread/started', 'thread/status/changed', 'turn/started', 'item/started', 'item/completed', 'item/started'],
      ...['item/agentMessage/delta', 'item/completed', 'thread/tokenUsage/updated', 'thread/status/changed'],
      'turn/completed',
    ])
    const answered = client.received.findIndex(({ result }) => JSON.stringify(result ?? '').includes('inProgress'))
    const started = client.received.findIndex(({ method }) => method === 'turn/started')
    expect(answered).toBeLessThan(started)
  })

  it.each([
    ['accept', 'completed', true],
    ['acceptForSession', 'completed', true],
    ['decline', 'declined', false],
    ['nonsense', 'declined', false],
    [null, 'declined', false],
  ] as const)('asks by a request, and %s makes the command %s', async (decision, status, isRun) => {
    await using place = testPlace()
    const model = scriptedModel(shell('touch made'), { text: 'Done.' })
    const { client, threadId } = await opened(place, { model }, { approvalPolicy: 'untrusted' })
    await using _ = client
    client.answerWith(() => (decision === null ? { error: { code: -1, message: 'x' } } : { decision }))
    const done = await turn(client, threadId, 'make it')
    expect(done.status).toBe('completed')
    const asked = client.received.find(({ method }) => method === 'item/commandExecution/requestApproval')
    expect(asked).toMatchObject({
      id: 0,
      params: { cwd: place.cwd, availableDecisions: expect.arrayContaining(['accept']) },
    })
    expect(client.received).toContainEqual(
      expect.objectContaining({ method: 'serverRequest/resolved', params: { threadId, requestId: 0 } }),
    )
    const completed = client.received.filter(({ method }) => method === 'item/completed')
    expect(JSON.stringify(completed)).toContain(`"status":"${status}"`)
    expect(existsSync(join(place.cwd, 'made'))).toBe(isRun)
  })

  it('tells that a command would run outside the sandbox, and `cancel` ends the turn', async () => {
    await using place = testPlace()
    const model = scriptedModel(shell('touch made', { escalate: true, reason: 'I must' }))
    const { client, threadId } = await opened(place, { model })
    await using _ = client
    client.answerWith(() => ({ decision: 'cancel' }))
    expect(await turn(client, threadId, 'make it')).toMatchObject({ status: 'interrupted' })
    const asked = client.received.find(({ method }) => method === 'item/commandExecution/requestApproval')
    expect(JSON.stringify(asked)).toContain('outside the sandbox')
    expect(JSON.stringify(asked)).toContain('“I must”')
  })

  it('shows the files of a patch with the question about it', async () => {
    await using place = testPlace()
    place.write('a.txt', 'one\n')
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch'
    const model = scriptedModel({ calls: [{ name: 'apply_patch', args: { patch } }] }, { text: 'Done.' })
    const { client, threadId } = await opened(place, { model }, { approvalPolicy: 'untrusted' })
    await using _ = client
    await turn(client, threadId, 'patch it')
    const changes = [
      { path: join(place.cwd, 'new.txt'), kind: { type: 'add' }, diff: 'x\n' },
      {
        path: join(place.cwd, 'a.txt'),
        kind: { type: 'update', move_path: null },
        diff: '@@ -1,1 +1,1 @@\n-one\n+two\n',
      },
    ]
    const of = (name: string) =>
      client.received.filter(({ method, params }) => method === name && JSON.stringify(params).includes('fileChange'))
    expect(of('item/started')).toMatchObject([{ params: { item: { changes, status: 'inProgress' } } }])
    expect(of('item/completed')).toMatchObject([{ params: { item: { changes, status: 'completed' } } }])
    expect(client.story()).toContain('turn/diff/updated')
    expect(place.read('a.txt')).toBe('two\n')
  })

  it('fails with the error of the model', async () => {
    await using place = testPlace()
    const model = scriptedModel({ failure: { code: 'auth', message: 'The key is wrong.', retry: 'never' } })
    const { client, threadId } = await opened(place, { model })
    await using _ = client
    const done = await turn(client, threadId, 'hi')
    expect(done).toMatchObject({ status: 'failed', error: { message: expect.any(String) } })
    expect(client.received).toContainEqual(
      expect.objectContaining({
        method: 'thread/status/changed',
        params: { threadId, status: { type: 'systemError' } },
      }),
    )
  })

  it('is interrupted at once, and a second message goes into the running one', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ hang: true }) })
    await using _ = client
    expect((await client.ask('turn/interrupt', { threadId, turnId: 'x' }))['error']).toMatchObject({
      message: 'no active turn to interrupt',
    })
    const first = await client.result('turn/start', { threadId, input: text('hi') })
    const second = await client.result('turn/start', { threadId, input: text('more') })
    expect(second.turn.id).toBe(first.turn.id)
    expect((await client.ask('turn/interrupt', { threadId, turnId: 'x' }))['error']).toMatchObject({
      message: expect.stringContaining('but found'),
    })
    expect(await client.result('turn/interrupt', { threadId, turnId: first.turn.id })).toEqual({})
    const ended = await client.until(({ method }) => method === 'turn/completed')
    expect(ended).toMatchObject({ params: { turn: { status: 'interrupted' } } })
  })
})

/** The id of a listed turn, or of a listed item. */
const idOf = (entry: unknown): unknown => Object(entry).item?.id ?? Object(entry).id

describe('threads of an app-server', () => {
  it('are listed, read, paged and resumed by another client', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel({ text: 'one' }, { text: 'two' }, { text: 'three' }) })
    const first = appClient(server)
    await first.initialize()
    const { thread } = await first.result('thread/start', { cwd: place.cwd })
    const threadId = String(thread.id)
    expect((await first.ask('thread/turns/list', { threadId }))['error']).toMatchObject({
      message: expect.stringContaining('not materialized yet'),
    })
    for (const said of ['a', 'b', 'c']) await turn(first, threadId, said)
    await first.result('thread/name/set', { threadId, name: 'Named' })
    await first[Symbol.asyncDispose]()
    await using client = appClient(server)
    await client.initialize()
    expect((await client.result('thread/list', {})).data).toMatchObject([{ id: threadId, preview: 'a', name: 'Named' }])
    const page = await client.result('thread/turns/list', { threadId, limit: 2 })
    expect(page.data.map((one) => one.items.map((item) => item.text ?? item.content?.[0]?.text))).toEqual([
      ['c', 'three'],
      ['b', 'two'],
    ])
    const rest = await client.result('thread/turns/list', { threadId, cursor: page.nextCursor, itemsView: 'full' })
    expect(rest).toMatchObject({ data: [{ itemsView: 'full', status: 'completed' }], nextCursor: null })
    const items = await client.result('thread/items/list', { threadId, limit: 1 })
    expect(items.data).toMatchObject([{ item: { type: 'userMessage' } }])
    expect((await client.ask('thread/turns/list', { threadId, cursor: 'no' }))['error']).toMatchObject({
      message: 'invalid cursor: no',
    })
    const resumed = await client.result('thread/resume', { threadId })
    expect(resumed.thread.turns).toHaveLength(3)
    await client.until(({ method }) => method === 'thread/tokenUsage/updated')
    expect(await client.result('thread/loaded/list', {})).toMatchObject({ data: [threadId] })
    const forked = await client.result('thread/fork', { threadId, lastTurnId: page.data[1]?.id })
    expect(forked.thread).toMatchObject({ forkedFromId: threadId, turns: [{}, {}] })
    await client.result('thread/archive', { threadId })
    expect((await client.result('thread/list', { archived: true })).data).toMatchObject([{ id: threadId }])
    const unknown = '00000000-0000-7000-8000-000000000000'
    expect((await client.ask('thread/read', { threadId: unknown }))['error']).toMatchObject({
      message: `thread not loaded: ${unknown}`,
    })
    expect((await client.ask('thread/resume', { threadId: unknown }))['error']).toMatchObject({
      message: `thread not found: ${unknown}`,
    })
  })

  it.each(['asc', 'desc'] as const)(
    'have their items paged %s, each once, also those of one turn',
    async (sortDirection) => {
      await using place = testPlace()
      const said = Array.from({ length: 5 }, (_, index) => `answer ${index}`)
      const model = scriptedModel(...said.map((one) => ({ text: [one, '!', '?'] })))
      const { client, threadId } = await opened(place, { model })
      await using _ = client
      for (const one of said) await turn(client, threadId, `question of ${one}`)
      const pages = async (more: object) => {
        const found: unknown[] = []
        for (let cursor: unknown = null; ; ) {
          const page = await client.result('thread/items/list', { threadId, sortDirection, cursor, ...more })
          for (const { item } of page.data.map(Object)) found.push(item.text ?? item.content?.[0]?.text)
          cursor = page.nextCursor
          if (cursor === null) return sortDirection === 'asc' ? found : found.toReversed()
        }
      }
      const whole = said.flatMap((one) => [`question of ${one}`, `${one}!?`])
      for (const limit of [1, 3, 10, 100]) expect(await pages({ limit })).toEqual(whole)
      const { data } = await client.result('thread/turns/list', { threadId, sortDirection: 'asc' })
      expect(await pages({ limit: 1, turnId: data[1]?.id })).toEqual(whole.slice(2, 4))
      expect(await pages({ limit: 1, turnId: 'none' })).toEqual([])
    },
  )

  it.each([
    ['asc', 'desc'],
    ['desc', 'asc'],
  ])('are paged %s and turned back %s from the first entry of a page', async (sortDirection, back) => {
    await using place = testPlace()
    const model = scriptedModel(...Array.from({ length: 4 }, (_, index) => ({ text: `answer ${index}` })))
    const { client, threadId } = await opened(place, { model })
    await using _ = client
    for (let round = 0; round < 4; round += 1) await turn(client, threadId, 'go')
    for (const method of ['thread/items/list', 'thread/turns/list']) {
      const list = (more: object) => client.result(method, { threadId, limit: 2, ...more })
      const before = await list({ sortDirection })
      const page = await list({ sortDirection, cursor: before.nextCursor })
      const { backwardsCursor } = Object(page)
      const turned = await list({ sortDirection: back, cursor: backwardsCursor })
      expect(turned.data.map(idOf), method).toEqual([page.data[0], before.data[1]].map(idOf))
    }
  })

  it('have one entry in a page of length 0', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ text: 'one' }, { text: 'two' }) })
    await using _ = client
    for (const said of ['a', 'b']) await turn(client, threadId, said)
    await client.result('thread/start', { cwd: place.cwd })
    for (const method of ['thread/list', 'thread/turns/list', 'thread/items/list'])
      expect((await client.result(method, { threadId, limit: 0 })).data, method).toHaveLength(1)
  })

  it('are resumed without turns by the cursors of their pages', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ text: 'one' }) })
    await using _ = client
    await turn(client, threadId, 'hi')
    const resumed = await client.result('thread/resume', { threadId, excludeTurns: true })
    expect(resumed.thread.turns).toEqual([])
    const { turnsBackwardsCursor, itemsBackwardsCursor: cursor } = Object(resumed)
    const items = await client.result('thread/items/list', { threadId, cursor, limit: 1, sortDirection: 'desc' })
    expect(items.data).toMatchObject([{ item: { type: 'agentMessage', text: 'one' } }])
    const turns = await client.result('thread/turns/list', { threadId, cursor: turnsBackwardsCursor, limit: 1 })
    expect(turns.data).toMatchObject([{ status: 'completed' }])
    const forked = await client.result('thread/fork', { threadId, excludeTurns: true })
    expect(Object(forked)['itemsBackwardsCursor']).toEqual(expect.stringMatching(/^\d+$/))
    expect(await client.result('thread/resume', { threadId })).toMatchObject({ itemsBackwardsCursor: cursor })
  })

  it('have settings of a turn within the ceiling only, and configuration is not written', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ text: 'a' }, { text: 'b' }) })
    await using _ = client
    for (const sandboxPolicy of [
      { type: 'dangerFullAccess' },
      { type: 'externalSandbox' },
      { type: 'workspaceWrite', networkAccess: true },
    ])
      expect((await client.ask('turn/start', { threadId, input: text('x'), sandboxPolicy }))['error']).toMatchObject({
        code: -32600,
      })
    await turn(client, threadId, 'a')
    await turn(client, threadId, 'x', { sandboxPolicy: { type: 'readOnly' }, approvalPolicy: 'never' })
    expect(client.story()).toContain('thread/settings/updated')
    expect((await client.ask('config/value/write', { keyPath: 'model', value: 'x' }))['error']).toMatchObject({
      message: expect.stringContaining('does not write configuration'),
    })
    expect(await client.result('thread/shellCommand', { threadId, command: 'touch made' })).toEqual({})
    expect(await client.until(({ method }) => method === 'warning')).toMatchObject({
      params: { threadId, message: expect.stringContaining('--max-sandbox danger-full-access') },
    })
    expect(existsSync(join(place.cwd, 'made'))).toBe(false)
  })

  it('above the ceiling of this server are not reached', async () => {
    await using place = testPlace()
    const { server, watched } = await place.talk(
      { model: scriptedModel({ text: 'a' }) },
      { sandbox: 'danger-full-access' },
    )
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    const narrow = {
      ...server,
      engine: {
        ...server.engine,
        limits: {
          ...server.engine.limits,
          ceiling: () => ({ ...server.engine.limits.ceiling(), sandbox: 'workspace-write' as const }),
        },
      },
    }
    await using client = appClient(narrow)
    await client.initialize()
    expect((await client.ask('thread/resume', { threadId: conversationId }))['error']).toMatchObject({
      message: expect.stringContaining('parley app-server --max-sandbox danger-full-access'),
    })
  })

  it('tell nothing that a client has opted out of', async () => {
    await using place = testPlace()
    await using client = appClient(place.start({ model: scriptedModel({ text: 'a' }) }))
    await client.initialize({ optOutNotificationMethods: ['thread/started', 'item/agentMessage/delta'] })
    const { thread } = await client.result('thread/start', { cwd: place.cwd })
    await turn(client, thread.id, 'hi')
    expect(client.story()).not.toContain('thread/started')
    expect(client.story()).not.toContain('item/agentMessage/delta')
  })
})
