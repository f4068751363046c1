import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import { describe, expect, it } from 'vitest'
import { type Talk, testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

async function interrupt({ client, watched }: Talk) {
  const { conversationId } = watched
  const answer = await client.request('conversation/interrupt', { conversationId })
  await watched.turnEnded()
  return answer
}

describe('an interrupt', () => {
  it('keeps the received part of an answer, and the next request has it once', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: ['Half an ', 'answer'], hang: true }, { text: 'ok' })
    const talk = await place.talk({ model })
    const { watched } = talk
    await watched.send('hi')
    await watched.until(({ core }) => Object.values(core.open).find(({ item }) => item.text !== ''))
    expect(await interrupt(talk)).toEqual({ interrupted: true })
    expect(watched.items().slice(1)).toMatchObject([
      { type: 'agentMessage', status: 'interrupted', text: 'Half an answer' },
      { type: 'notice', code: 'interrupted' },
    ])
    await watched.send('go on')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[1]?.entries).split('Half an answer')).toHaveLength(2)
  })

  it('stops a running command and keeps its output', async () => {
    await using place = testPlace()
    const calls = [
      { name: 'shell', args: { command: 'echo started; sleep 600' } },
      { name: 'shell', args: { command: 'touch never' } },
    ]
    const talk = await place.talk({ model: scriptedModel({ calls }) }, free)
    const { watched } = talk
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ output }) => output === 'started\n'))
    await interrupt(talk)
    expect(watched.items().slice(1)).toMatchObject([
      {
        status: 'interrupted',
        output: { head: 'started\n' },
        modelText: expect.stringMatching(/^interrupted by the user/),
      },
      { status: 'interrupted', modelText: 'Not run: the user interrupted the turn.' },
      { code: 'interrupted' },
    ])
    expect(() => place.read('never')).toThrow()
  })

  it('by a client in place of a user says why, to people, to the model and in a replay', async () => {
    await using place = testPlace()
    const calls = ['echo started; sleep 600', 'touch never'].map((command) => ({ name: 'shell', args: { command } }))
    const { client, watched } = await place.talk({ model: scriptedModel({ calls }) }, free)
    const { conversationId } = watched
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ output }) => output === 'started\n'))
    await client.request('conversation/interrupt', { conversationId, why: 'The deploy was cancelled.' })
    await watched.turnEnded()
    expect(watched.items().slice(1)).toMatchObject([
      { status: 'interrupted', modelText: expect.stringMatching(/^stopped after .*: The deploy was cancelled\.\n/) },
      { status: 'interrupted', modelText: 'Not run: the turn was stopped. The deploy was cancelled.' },
      { code: 'interrupted', title: 'The deploy was cancelled.' },
    ])
    expect((await client.request('replay/run', { conversation: conversationId })).difference).toBeNull()
  })

  it('withdraws a waiting approval', async () => {
    await using place = testPlace()
    const talk = await place.talk({
      model: scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch x' } }] }),
    })
    const { watched, client } = talk
    await watched.send('go')
    const { id: approvalId } = await watched.approval()
    await interrupt(talk)
    expect(watched.state.core.approvals).toEqual({})
    const { conversationId } = watched
    expect(await client.refused('approval/decide', { conversationId, approvalId, decision: 'approved' })).toMatchObject(
      {
        code: 'approvalNotPending',
      },
    )
  })

  it('ends the wait for a retry', async () => {
    await using place = testPlace()
    const clock = testClock()
    clock.holdSleeps()
    const talk = await place.talk({ clock, model: scriptedModel({ failure: { code: 'overloaded', retry: 'long' } }) })
    const { watched } = talk
    await watched.send('go')
    await watched.until(({ core }) => core.turn?.retry)
    await interrupt(talk)
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
  })

  it('is handled after a message in the same chunk', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'x', hang: true }) })
    const { conversationId } = watched
    const [sent, interrupted] = await Promise.all([
      client.request('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'hi' }] }),
      client.request('conversation/interrupt', { conversationId }),
    ])
    expect([sent.disposition, interrupted]).toEqual(['started', { interrupted: true }])
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ id: sent.turnId, outcome: 'interrupted' })
  })

  it('is answered at once when nothing runs', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    expect(await client.request('conversation/interrupt', { conversationId })).toEqual({ interrupted: false })
    await watched.send('hi')
    await watched.turnEnded()
    expect(await client.request('conversation/interrupt', { conversationId })).toEqual({ interrupted: false })
  })

  it('is rejected when it names another turn', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ hang: true }) })
    const { turnId } = await watched.send('hi')
    const { conversationId } = watched
    expect(await client.refused('conversation/interrupt', { conversationId, turnId: 't-old' })).toMatchObject({
      number: -32006,
      code: 'turnMismatch',
      detail: { turnId },
    })
  })
})
