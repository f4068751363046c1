import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expect, it } from 'vitest'
import { startTeam, type Team } from '../support/team.ts'

const calls = [{ name: 'shell', args: { command: 'echo hello > made' } }]

/** Starts a conversation of ada's, in which a question waits. */
async function asking(team: Team) {
  const ada = await team.as('ada')
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  const watched = await ada.watch(conversationId)
  await watched.send('make it')
  const { id: approvalId } = await watched.approval()
  return { ada, watched, conversationId, approvalId }
}

const asks = () => ({ model: scriptedModel({ calls }, { text: 'ok' }) })

it('an approver answers, and neither sends nor changes settings', async () => {
  await using team = await startTeam(['ada', 'bo'], asks())
  const { ada, watched, conversationId, approvalId } = await asking(team)
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'approver' })
  const bo = await team.as('bo')
  await bo.request('conversation/resume', { conversationId })
  const seen = await bo.watch(conversationId)
  for (const refusal of [
    bo.refused('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'more' }], when: 'queue' }),
    bo.refused('conversation/configure', { conversationId, settings: { effort: 'high' } }),
    bo.refused('conversation/resume', { conversationId, overrides: { effort: 'high' } }),
    bo.refused('conversation/share', { conversationId, user: 'bo', role: 'owner' }),
  ])
    expect(await refusal).toMatchObject({ code: 'notPermitted' })
  await bo.request('approval/decide', { conversationId, approvalId, decision: 'approved' })
  await watched.turnEnded()
  expect(team.place.read('made')).toBe('hello\n')
  const decided = seen.events.find(({ event }) => event.type === 'approval.decided')?.event
  expect(decided).toMatchObject({ by: { user: 'bo' } })
})

it('a reader reads, and does not answer', async () => {
  await using team = await startTeam(['ada', 'bo'], asks())
  const { ada, conversationId, approvalId } = await asking(team)
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'reader' })
  const bo = await team.as('bo')
  await bo.request('conversation/resume', { conversationId })
  expect((await bo.watch(conversationId)).state.core.approvals[approvalId]).toMatchObject({ state: 'pending' })
  const answer = { conversationId, approvalId, decision: 'approved' as const }
  expect(await bo.refused('approval/decide', answer)).toMatchObject({ code: 'notPermitted' })
})

it('a question is for clients only whose users may answer it', async () => {
  await using team = await startTeam(['ada', 'bo'], asks())
  const ada = await team.as('ada', { capabilities: [] })
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'reader' })
  const bo = await team.as('bo')
  await bo.request('conversation/resume', { conversationId })
  await bo.watch(conversationId)
  const watched = await ada.watch(conversationId)
  await watched.send('make it')
  expect((await watched.approval()).answerableBy).toEqual([])
})

it('an editor sends and answers, and events name who did it', async () => {
  await using team = await startTeam(['ada', 'bo'], asks())
  const ada = await team.as('ada')
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'editor' })
  const bo = await team.as('bo')
  await bo.request('conversation/resume', { conversationId })
  const watched = await bo.watch(conversationId)
  await watched.send('make it')
  await watched.decide('approved')
  await bo.request('conversation/configure', { conversationId, settings: { effort: 'high' } })
  await watched.turnEnded()
  const named = watched.events.flatMap(({ event }) =>
    'by' in event && event.type !== 'usage.updated' ? [event.by] : [],
  )
  expect(named.map((by) => ({ user: by && 'user' in by ? by.user : undefined }))).toEqual(
    named.map(() => ({ user: 'bo' })),
  )
  expect(watched.items().find(({ type }) => type === 'userMessage')).toMatchObject({ by: { user: 'bo' } })
})

it('users are offered no rule for all, and add none', async () => {
  const always = [{ name: 'shell', args: { command: 'npm test' } }]
  await using team = await startTeam(['ada'], { model: scriptedModel({ calls: always }, { text: 'ok' }) })
  const { ada, conversationId, approvalId, watched } = await asking(team)
  const { decisions } = watched.state.core.approvals[approvalId] ?? { decisions: [] }
  expect(decisions).toContain('approvedForSession')
  expect(decisions).not.toContain('approvedAlways')
  const answer = { conversationId, approvalId, decision: 'approvedAlways' as const }
  expect(await ada.refused('approval/decide', answer)).toMatchObject({ code: 'invalidParams' })
})

it('the last owner stays', async () => {
  await using team = await startTeam(['ada', 'bo'])
  const ada = await team.as('ada')
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  const leave = { conversationId, user: 'ada', role: null }
  expect(await ada.refused('conversation/share', leave)).toMatchObject({ code: 'invalidParams' })
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'owner' })
  await ada.request('conversation/share', leave)
  expect(await ada.refused('conversation/share', leave)).toMatchObject({ code: 'conversationNotFound' })
})

it('a conversation is shared with users who are there', async () => {
  await using team = await startTeam(['ada'])
  const ada = await team.as('ada')
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  expect(await ada.refused('conversation/share', { conversationId, user: 'cy', role: 'reader' })).toMatchObject({
    code: 'invalidParams',
    message: 'There is no user cy on this server.',
  })
})
