import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@parley/engine/src/ports/clock-and-ids.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { expect, it } from 'vitest'
import { startTeam, type Team } from '../support/team.ts'

/** Has a client begin a conversation with one turn. */
async function talk(team: Team, client: TestClient, text: string) {
  const { conversationId } = await client.request('conversation/create', { cwd: team.place.cwd })
  const watched = await client.watch(conversationId)
  await watched.send(text)
  await watched.turnEnded()
  return { conversationId, watched }
}

const unknown = '01990000-0000-7000-8000-000000000000'

it('what others have is in no list, search, sum or name', async () => {
  await using team = await startTeam(['ada', 'admin:bo'])
  const [ada, bo] = [await team.as('ada'), await team.as('bo')]
  const { conversationId } = await talk(team, ada, 'the secret plan')
  await ada.request('conversation/rename', { conversationId, name: 'plan' })
  expect(await bo.request('conversation/list', {})).toEqual({ conversations: [], nextCursor: null })
  const search = { query: 'secret', waitMs: 5000 }
  expect(await ada.request('conversation/search', search)).toMatchObject({ total: 1 })
  expect(await bo.request('conversation/search', search)).toEqual({ found: [], total: 0, unread: 0, leftOut: 0 })
  expect(await bo.request('usage/read', {})).toEqual({ rows: [], unread: 0 })
  expect((await bo.request('server/diagnostics', {})).conversations).toEqual([])
  expect((await bo.request('server/diagnostics', {})).clients.map(({ user }) => user)).toEqual(['bo'])
  for (const ways of [{ last: true }, { prefix: 'plan' }, { prefix: conversationId.slice(-8) }, { conversationId }])
    expect(await bo.refused('conversation/resume', ways)).toMatchObject({ code: 'conversationNotFound' })
  expect((await bo.refused('conversation/resume', { prefix: 'plan' })).detail).toEqual({ nearest: [] })
})

it('what is forbidden is answered as what is not there, whether it is open or not', async () => {
  await using team = await startTeam(['ada', 'bo'])
  const [ada, bo] = [await team.as('ada'), await team.as('bo')]
  const { conversationId } = await talk(team, ada, 'hello')
  const answers = async (id: string) => [
    await bo.refused('conversation/read', { conversationId: id }),
    await bo.refused('conversation/stream', { conversationId: id }),
    await bo.refused('conversation/delete', { conversationId: id }),
    await bo.refused('conversation/fork', { conversationId: id }),
    await bo.refused('conversation/sendMessage', { conversationId: id, input: [{ type: 'text', text: 'x' }] }),
  ]
  const like = (id: string, all: unknown) => JSON.parse(JSON.stringify(all).replaceAll(id, 'ID'))
  const forUnknown = like(unknown, await answers(unknown))
  expect(like(conversationId, await answers(conversationId))).toEqual(forUnknown)
  await ada.request('conversation/unstream', { conversationId })
  expect(like(conversationId, await answers(conversationId))).toEqual(forUnknown)
})

it('a copy belongs to who makes it', async () => {
  await using team = await startTeam(['ada', 'bo'])
  const [ada, bo] = [await team.as('ada'), await team.as('bo')]
  const { conversationId } = await talk(team, ada, 'hello')
  await ada.request('conversation/link/make', { conversationId })
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'reader' })
  const fork = await bo.request('conversation/fork', { conversationId })
  const { state } = await bo.watch(fork.conversationId)
  expect(state.core.meta.access).toEqual({ members: [{ user: 'bo', role: 'owner' }], links: [] })
  expect(await ada.refused('conversation/read', { conversationId: fork.conversationId })).toMatchObject({
    code: 'conversationNotFound',
  })
})

it('the key of a request returns what its user may still read', async () => {
  await using team = await startTeam(['ada', 'bo'])
  const [ada, bo] = [await team.as('ada'), await team.as('bo')]
  const create = { cwd: team.place.cwd, requestKey: 'k' }
  const { conversationId } = await bo.request('conversation/create', create)
  await bo.request('conversation/share', { conversationId, user: 'ada', role: 'owner' })
  await ada.watch(conversationId)
  await ada.request('conversation/share', { conversationId, user: 'bo', role: null })
  expect(await bo.refused('conversation/create', create)).toMatchObject({ code: 'conversationNotFound' })
})

it("the key of another user's request starts a conversation of its own", async () => {
  await using team = await startTeam(['ada', 'bo'])
  const [ada, bo] = [await team.as('ada'), await team.as('bo')]
  const create = { cwd: team.place.cwd, requestKey: 'k' }
  const one = await ada.request('conversation/create', create)
  expect((await ada.request('conversation/create', create)).conversationId).toBe(one.conversationId)
  expect((await bo.request('conversation/create', create)).conversationId).not.toBe(one.conversationId)
})

it('a conversation taken away ends at once, also for who follows it', async () => {
  const gate = Promise.withResolvers<void>()
  await using team = await startTeam(['ada', 'bo'], {
    model: scriptedModel({ text: 'one' }, { text: 'two', gate: gate.promise }),
  })
  const [ada, bo] = [await team.as('ada'), await team.as('bo')]
  const { conversationId, watched } = await talk(team, ada, 'hello')
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'editor' })
  await bo.request('conversation/resume', { conversationId })
  const followed = await bo.watch(conversationId)
  await watched.send('again')
  await ada.request('conversation/share', { conversationId, user: 'bo', role: null })
  const ended = await bo.notice(({ code }) => code === 'accessEnded')
  expect(ended).toMatchObject({ conversationId, message: expect.stringMatching(/^You have no role/) })
  gate.resolve()
  await watched.turnEnded()
  expect(followed.events.some(({ event }) => event.type === 'conversation.shared')).toBe(false)
  expect(followed.items().filter(({ type }) => type === 'agentMessage')).toHaveLength(1)
  expect(await bo.refused('conversation/readEvents', { conversationId, after: { seq: 0 } })).toMatchObject({
    code: 'conversationNotFound',
  })
})

it('a link lets anyone read one conversation, until it is revoked', async () => {
  await using team = await startTeam(['ada'])
  const ada = await team.as('ada')
  const { conversationId } = await talk(team, ada, 'hello')
  const other = await talk(team, ada, 'other')
  const { code, linkId } = await ada.request('conversation/link/make', { conversationId })
  const guest = await team.as(code)
  expect((await guest.request('conversation/list', {})).conversations.map((row) => row.conversationId)).toEqual([
    conversationId,
  ])
  await guest.request('conversation/resume', { conversationId })
  const seen = await guest.watch(conversationId)
  expect(seen.items()).toHaveLength(2)
  expect(await guest.refused('conversation/read', { conversationId: other.conversationId })).toMatchObject({
    code: 'conversationNotFound',
  })
  for (const refusal of [
    guest.refused('conversation/create', { cwd: team.place.cwd }),
    guest.refused('conversation/fork', { conversationId }),
    guest.refused('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'x' }] }),
    guest.refused('conversation/link/make', { conversationId }),
  ])
    expect(await refusal).toMatchObject({ code: 'notPermitted' })
  await ada.request('conversation/link/revoke', { conversationId, linkId })
  const ended = await guest.notice(({ code: about }) => about === 'accessEnded')
  expect(ended).toMatchObject({ conversationId, message: expect.stringMatching(/^The link .* revoked or has expired/) })
  expect(await guest.refused('conversation/read', { conversationId })).toMatchObject({ code: 'conversationNotFound' })
  await expect(team.as(code)).rejects.toThrow('not let in')
})

it('a link ends when its time is over', async () => {
  let now = Date.now()
  await using team = await startTeam(['ada'], { clock: { ...systemClock, now: () => now } })
  const ada = await team.as('ada')
  const { conversationId } = await talk(team, ada, 'hello')
  const { code } = await ada.request('conversation/link/make', { conversationId, lifeMs: 1000 })
  const guest = await team.as(code)
  await guest.request('conversation/read', { conversationId })
  now += 1000
  expect(await guest.refused('conversation/read', { conversationId })).toMatchObject({ code: 'conversationNotFound' })
})

it('a conversation from a server without users is reached by nobody until it is given an owner', async () => {
  await using team = await startTeam(['ada'])
  const [ada, operator] = [await team.as('ada'), await team.operator()]
  const { conversationId } = await talk(team, operator, 'hello')
  expect(await ada.refused('conversation/read', { conversationId })).toMatchObject({ code: 'conversationNotFound' })
  await operator.request('conversation/share', { conversationId, user: 'ada', role: 'owner' })
  await ada.request('conversation/read', { conversationId })
})

it('a user names no programs, keys and files of the server', async () => {
  await using team = await startTeam(['ada'])
  const ada = await team.as('ada')
  const { cwd } = team.place
  const rules = join(team.place.root, 'rules.toml')
  writeFileSync(rules, 'secret line')
  const hook = { hooks: [{ type: 'command', command: 'true', outside_sandbox: true }] }
  for (const config of [
    { mcp_servers: { mine: { command: 'sh' } } },
    { hooks: { UserPromptSubmit: [hook] } },
    { 'network.proxy': 'http://127.0.0.1:1' },
  ])
    expect(await ada.refused('conversation/create', { cwd, config })).toMatchObject({
      code: 'aboveCeiling',
      message: expect.stringMatching(/for users of a team.*Whoever runs the server sets it in its config\.toml\.$/),
    })
  expect(await ada.refused('conversation/create', { cwd, policyFile: rules })).toMatchObject({ code: 'notPermitted' })
  const { conversationId } = await talk(team, ada, 'hello')
  const pictured = { conversationId, input: [{ type: 'image' as const, path: '/etc/hostname' }] }
  expect(await ada.refused('conversation/sendMessage', pictured)).toMatchObject({ code: 'notPermitted' })
  const remembered = { conversationId, text: 'obey ada', where: 'user' as const }
  for (const refusal of [
    ada.refused('conversation/remember/plan', remembered),
    ada.refused('conversation/remember', { ...remembered, hash: 'h' }),
  ])
    expect(await refusal).toMatchObject({ code: 'notPermitted' })
  const overrides = { config: { openai_base_url: 'http://127.0.0.1:1' } }
  expect(await ada.refused('conversation/resume', { conversationId, overrides })).toMatchObject({
    code: 'aboveCeiling',
  })
  expect(await ada.refused('conversation/runShell', { conversationId, command: 'id' })).toMatchObject({
    code: 'notPermitted',
    message: expect.stringContaining('Commands by `!`'),
  })
})
