import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const tightens = { capabilities: ['approvals'], mayLoosen: false }
const strict = { sandbox: 'read-only', approvalPolicy: 'on-request' } as const
const wider = { sandbox: 'workspace-write' } as const

/** A conversation in plan mode after a turn, and a client beside it that may only tighten. */
async function planning(place: TestPlace) {
  const { server, client, watched } = await place.talk({ model: scriptedModel({ text: 'a' }, { text: 'b' }) }, strict)
  await watched.send('hi')
  await watched.turnEnded()
  const { conversationId } = watched
  const tightener = await server.connect('tightener', tightens)
  await tightener.watch(conversationId)
  return { server, client, watched, tightener, conversationId }
}

it('a client that may only tighten loosens a conversation by no method', async () => {
  await using place = testPlace()
  const { watched, tightener, conversationId } = await planning(place)
  const { seq } = watched.state.core
  const message = { conversationId, input: [{ type: 'text' as const, text: 'go' }] }
  for (const refused of [
    await tightener.refused('conversation/configure', { conversationId, settings: wider }),
    await tightener.refused('conversation/configure', { conversationId, settings: { approvalPolicy: 'on-failure' } }),
    await tightener.refused('conversation/resume', { conversationId, overrides: wider }),
    await tightener.refused('conversation/resume', {
      conversationId,
      overrides: { config: { sandbox_mode: 'workspace-write' } },
    }),
    await tightener.refused('conversation/sendMessage', { ...message, overrides: wider }),
    await tightener.refused('conversation/sendMessage', { ...message, overrides: { ...wider, cwd: place.cwd } }),
    await tightener.refused('conversation/runShell', { conversationId, command: 'true' }),
    await tightener.refused('hook/try', { cwd: place.cwd, on: 'Stop' }),
    await tightener.refused('trust/decide', { cwd: place.cwd, hash: 'x', verdict: 'trusted' }),
  ])
    expect(refused).toMatchObject({ number: -32007, code: 'notPermitted' })
  expect(watched.state.core).toMatchObject({ seq, settings: strict })
})

it('it tightens, and changes what is no limit', async () => {
  await using place = testPlace()
  const { watched, tightener, conversationId } = await planning(place)
  await tightener.request('conversation/configure', { conversationId, settings: { approvalPolicy: 'untrusted' } })
  await tightener.request('conversation/resume', { conversationId, overrides: { effort: 'low' } })
  await watched.until(({ core }) => core.settings.effort === 'low' || null)
  expect(watched.state.core.settings).toMatchObject({ ...strict, approvalPolicy: 'untrusted' })
})

it('it loosens no conversation that it takes up from disk, not by its configuration either', async () => {
  await using place = testPlace()
  const { server, conversationId } = await planning(place)
  await server.close()
  const again = place.start()
  const tightener = await again.connect('tightener', tightens)
  for (const overrides of [wider, { config: { sandbox_mode: 'workspace-write' } }])
    expect(await tightener.refused('conversation/resume', { conversationId, overrides })).toMatchObject({
      code: 'notPermitted',
    })
  expect(await tightener.request('conversation/resume', { conversationId })).toMatchObject({ settings: strict })
})

it('it answers approvals, but adds no rule', async () => {
  await using place = testPlace()
  const calls = [{ name: 'shell', args: { command: 'npm test' } }]
  const model = scriptedModel({ calls }, { text: 'ok' })
  const { server, watched } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
  const { conversationId } = watched
  const tightener = await server.connect('tightener', tightens)
  await watched.send('go')
  const { id: approvalId, decisions } = await watched.approval()
  expect(decisions).toContain('approvedAlways')
  const always = { conversationId, approvalId, decision: 'approvedAlways' as const }
  expect(await tightener.refused('approval/decide', always)).toMatchObject({ code: 'notPermitted' })
  await tightener.request('approval/decide', { conversationId, approvalId, decision: 'denied' })
  await watched.turnEnded()
})
