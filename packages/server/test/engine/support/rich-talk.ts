import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { smallPng } from '@parley/testkit'
import type { Talk, TestPlace } from './test-server.ts'

const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-alpha\n+beta\n*** Add File: b.txt\n+new\n*** End Patch'

const image = `data:image/png;base64,${smallPng.toString('base64')}`

/** Runs a conversation with nearly every kind of event. */
export async function richTalk(place: TestPlace): Promise<Talk> {
  place.write('a.txt', 'alpha\n')
  const gate = Promise.withResolvers<void>()
  const model = scriptedModel(
    {
      reasoning: 'Let me see.',
      text: ['I look ', 'at it.'],
      calls: [
        { name: 'read_file', args: { path: 'a.txt' } },
        { name: 'list_dir', args: {} },
        { name: 'shell', args: { command: 'echo one; touch made' } },
        { name: 'shell', args: { command: 'touch denied' } },
      ],
      usage: { inputTokens: 10, outputTokens: 5 },
    },
    { text: 'The patch', calls: [{ name: 'apply_patch', args: { patch } }], failure: {} },
    { text: 'The patch follows.', calls: [{ name: 'apply_patch', args: { patch } }], gate: gate.promise },
    {
      calls: [
        { name: 'telnet', args: {} },
        { name: 'update_plan', args: { plan: [{ step: 'a', status: 'pending' }] } },
      ],
    },
    { text: 'Done.' },
    { text: 'Queued answer.' },
    { text: 'Half an ans', hang: true },
  )
  const talk = await place.talk({ model, clock: testClock() })
  const { client, watched } = talk
  const { conversationId } = watched
  await watched.send('one')
  await watched.decide('approved')
  await watched.until(({ core }) => Object.values(core.approvals).find(({ title }) => title === 'touch denied'))
  await watched.decide('denied', 'no')
  await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'The patch follows.'))
  const byTheWay = { type: 'text' as const, text: 'by the way' }
  await watched.send('', { when: 'steer', input: [byTheWay, { type: 'image', url: image }] })
  await watched.send('and then', { when: 'queue', outputSchema: { type: 'object' } })
  gate.resolve()
  await watched.decide('approved')
  await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
  const { itemId } = await client.request('conversation/runShell', { conversationId, command: 'echo mine' })
  await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
  await client.request('conversation/configure', { conversationId, settings: { effort: 'high' } })
  await client.request('conversation/rename', { conversationId, name: 'rich' })
  await watched.send('last')
  await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text === 'Half an ans'))
  await client.request('conversation/interrupt', { conversationId })
  await watched.turnEnded()
  return talk
}
