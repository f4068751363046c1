import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const touch = (name: string) => ({ name: 'shell', args: { command: `touch ${name}` } })

describe('a command that needs an approval', () => {
  it('runs only after the approval', async () => {
    await using place = testPlace()
    const { watched, client } = await place.talk({ model: scriptedModel({ calls: [touch('made')] }, { text: 'ok' }) })
    await watched.send('go')
    const approval = await watched.approval()
    expect(approval).toMatchObject({
      kind: 'command',
      command: ['/bin/sh', '-c', 'touch made'],
      cwd: place.cwd,
      sandbox: 'none',
      answerableBy: [client.clientId],
      decisions: ['approved', 'approvedForSession', 'approvedAlways', 'denied', 'abort'],
    })
    expect(() => place.read('made')).toThrow()
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('made')).toBe('')
    expect(watched.story().slice(4, -1)).toMatchInlineSnapshot(`
      [
        "model.requested 1",
        "item.started shell proposed",
        "usage.updated",
        "model.responded",
        "approval.requested",
        "approval.decided approved",
        "execution.started by approval",
        "files.changed",
        "item.completed shell completed",
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
      ]
    `)
    expect(watched.items()[1]).toMatchObject({
      decision: { verdict: 'ask', answer: 'approved', approvalId: approval.id },
    })
  })

  it('is asked about once when approved for the session', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [touch('made')] }, { calls: [touch('made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.decide('approvedForSession')
    await watched.turnEnded()
    const story = watched.story().filter((line) => line.startsWith('approval') || line.startsWith('execution.started'))
    expect(story).toMatchInlineSnapshot(`
      [
        "approval.requested",
        "approval.decided approvedForSession",
        "execution.started by approval",
        "execution.started by builtin:session-grant",
      ]
    `)
  })

  it('is not run when it is denied, and the model gets the note', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [touch('made'), touch('other')] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.decide('denied', 'use mkdir')
    await watched.until(({ core }) => Object.values(core.approvals).find(({ title }) => title === 'touch other'))
    await watched.decide('denied')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.slice(-2)).toMatchObject([
      { text: 'Not run: the user denied this and says: use mkdir', isError: true },
      { text: 'Not run: the user denied this.', isError: true },
    ])
    const ended = watched.events.at(-1)?.event
    expect(ended).toMatchObject({
      type: 'turn.ended',
      outcome: 'completed',
      denials: [{ title: 'touch made', reason: 'use mkdir' }, { title: 'touch other' }],
    })
    expect(() => place.read('made')).toThrow()
  })

  it('is not run when no user can answer, and the model does not read that a user denied it', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [touch('made')] }, { text: 'ok' })
    const { watched, client } = await place.talk({ model })
    await watched.send('go')
    const { id: approvalId } = await watched.approval()
    const no = { decision: 'denied', note: 'nobody is there to answer: it asks', unattended: true } as const
    await client.request('approval/decide', { conversationId: watched.conversationId, approvalId, ...no })
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: 'Not run: nobody is there to answer: it asks' })
    expect(() => place.read('made')).toThrow()
  })

  it('ends the turn when the answer is abort', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ calls: [touch('made'), touch('other')] }) })
    await watched.send('go')
    await watched.decide('abort')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
    expect(
      watched
        .items()
        .slice(1)
        .map(({ title, status }) => [title, status]),
    ).toEqual([
      ['touch made', 'denied'],
      ['touch other', 'interrupted'],
      ['Interrupted', 'completed'],
    ])
  })
})

describe('an answer to an approval', () => {
  it('is rejected after an earlier answer, with the name and the decision of that one', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [touch('made')] }, { text: 'ok', hang: true })
    const { server, client, watched } = await place.talk({ model })
    const second = await server.connect('late')
    await watched.send('go')
    const { id: approvalId } = await watched.approval()
    const params = { conversationId: watched.conversationId, approvalId, decision: 'approved' as const }
    await client.request('approval/decide', params)
    const refused = await second.refused('approval/decide', { ...params, decision: 'denied' })
    expect(refused).toMatchObject({
      number: -32005,
      code: 'approvalNotPending',
      detail: { decidedBy: 'test', decision: 'approved' },
    })
    await watched.until((_, events) => events.find(({ event }) => event.type === 'execution.started'))
    expect(await second.refused('approval/decide', params)).toMatchObject({ number: -32005 })
  })

  it('is rejected when it was not offered', async () => {
    await using place = testPlace()
    const calls = [{ name: 'shell', args: { command: 'touch x', escalate: true, reason: 'because' } }]
    const { client, watched } = await place.talk({ model: scriptedModel({ calls }) })
    await watched.send('go')
    const { id: approvalId, decisions, kind } = await watched.approval()
    expect(kind).toBe('escalation')
    expect(decisions).toEqual(['approved', 'denied', 'abort'])
    for (const decision of ['approvedForSession', 'approvedAlways'] as const) {
      const params = { conversationId: watched.conversationId, approvalId, decision }
      expect(await client.refused('approval/decide', params)).toMatchObject({
        code: 'invalidParams',
        message: expect.stringContaining(`"${decision}" is not one of the answers here`),
        detail: { field: 'decision' },
      })
    }
    expect(watched.state.core.approvals[approvalId]).toMatchObject({ state: 'pending' })
  })
})
