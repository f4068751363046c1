import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { waitUntil } from '@parley/testkit'
import { expect, it } from 'vitest'
import { startTeam, type Team } from '../../engine/support/team.ts'
import { appClient } from './app-client.ts'

const asking = () => scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch made' } }] })

/** A conversation of ada with a turn that waits for an answer, and bo with a role in it. */
async function shared(team: Team, role: 'editor' | 'reader') {
  const ada = await team.as('ada')
  const created = { cwd: team.place.cwd, approvalPolicy: 'untrusted' } as const
  const { conversationId } = await ada.request('conversation/create', created)
  const watched = await ada.watch(conversationId)
  await watched.send('go')
  await watched.until(({ core }) => Object.keys(core.approvals).length === 1)
  await ada.request('conversation/share', { conversationId, user: 'bo', role })
  const takeAway = () => ada.request('conversation/share', { conversationId, user: 'bo', role: null })
  return { ada, conversationId, takeAway }
}

it('tells a client whose role is taken away while a turn runs, and ends the turn for it', async () => {
  await using team = await startTeam(['ada', 'bo'], { model: asking() })
  const { conversationId: threadId, takeAway } = await shared(team, 'editor')
  await using client = appClient(team.server, { connect: () => team.libraryOf('bo') })
  client.answerWith(null)
  await client.initialize()
  await client.result('thread/resume', { threadId })
  await takeAway()
  const ended = await client.until(({ method }) => method === 'turn/completed')
  expect(ended).toMatchObject({ params: { threadId, turn: { status: 'failed' } } })
  await client.until(({ method }) => method === 'thread/status/changed')
  const unknown = threadId.replace(/....$/, 'ffff')
  for (const [method, more] of [
    ['turn/start', { input: [] }],
    ['thread/resume', {}],
    ['thread/read', {}],
  ] as const) {
    const answers = [threadId, unknown].map(async (id) => {
      const { error } = await client.ask(method, { threadId: id, ...more })
      return JSON.stringify(error).replace(id, 'ID')
    })
    const [forbidden, none] = await Promise.all(answers)
    expect(forbidden, method).toBe(none)
  }
})

it('rejects what a script waits for once the role of its user is taken away', async () => {
  await using team = await startTeam(['ada', 'bo'], { model: asking() })
  const { conversationId, takeAway } = await shared(team, 'editor')
  await using parley = await team.libraryOf('bo')
  const conversation = await parley.resume(conversationId)
  conversation.onApproval(() => new Promise(() => undefined))
  const result = conversation.turn?.result
  await takeAway()
  await expect(result).rejects.toMatchObject({ data: { code: 'accessEnded' } })
  await expect(conversation.send('more')).rejects.toMatchObject({ data: { code: 'accessEnded' } })
})

it('shows a reader a thread that nobody has open, as it is saved', async () => {
  await using team = await startTeam(['ada', 'bo'], { model: asking() })
  const { ada, conversationId: threadId } = await shared(team, 'reader')
  await ada.request('conversation/interrupt', { conversationId: threadId })
  await ada.peer.close()
  await waitUntil(() => team.server.engine.host.conversations.length === 0, { what: 'the end of it' })
  await using client = appClient(team.server, { connect: () => team.libraryOf('bo') })
  await client.initialize()
  expect(await client.result('thread/resume', { threadId })).toMatchObject({ thread: { id: threadId } })
  const { error } = await client.ask('turn/start', { threadId, input: [{ type: 'text', text: 'hi' }] })
  expect(error).toMatchObject({ data: { code: 'notPermitted' } })
})
