import { decideApproval } from '@parley/engine/src/commands/decide-approval.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { allRights } from '@parley/protocol'
import { expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const calls = Array.from({ length: 20 }, (_, n) => ({ name: 'shell', args: { command: `echo ${n} >> order` } }))

it('an approval accepts an answer in the tick it is recorded', async () => {
  await using place = testPlace()
  const { server, watched } = await place.talk({ model: scriptedModel({ calls }, { text: 'ok' }) })
  const { conversationId } = watched
  const open = server.engine.host.get(conversationId)
  open.conversation.feed.subscribe(() => {
    const pending = Object.values(open.conversation.state.core.approvals).find(({ state }) => state === 'pending')
    if (pending === undefined) return
    const params = { conversationId, approvalId: pending.id, decision: 'approved' as const }
    const actor = { clientId: 'c', name: 'quick' }
    decideApproval(open, params, { actor, access: 'full', mayLoosen: true, rights: allRights })
  })
  await watched.send('go')
  await watched.turnEnded()
  expect(place.read('order').split('\n')).toHaveLength(21)
})

it('an approval accepts the answer of a client as soon as it arrives', async () => {
  await using place = testPlace()
  const { client, watched } = await place.talk({ model: scriptedModel({ calls }, { text: 'ok' }) })
  const { conversationId } = watched
  const answered = new Set<string>()
  void watched.until(({ core }) => {
    for (const { id: approvalId, state } of Object.values(core.approvals)) {
      if (state !== 'pending' || answered.has(approvalId)) continue
      answered.add(approvalId)
      void client.request('approval/decide', { conversationId, approvalId, decision: 'approved' })
    }
    return core.lastTurn
  })
  await watched.send('go')
  await watched.turnEnded()
  expect(answered.size).toBe(20)
})
