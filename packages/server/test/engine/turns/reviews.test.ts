import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const found = {
  findings: [
    { severity: 'low', file: 'b.ts', title: 'A name', why: 'It says nothing.' },
    { severity: 'critical', file: 'a.ts', line: 3, end_line: 2, title: 'A crash', why: 'Null is read.' },
  ],
}

/** Names of the tools that the model was offered in a request. */
const toolsIn = (request: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
  request?.tools.map(({ name }) => name) ?? []

describe('a turn that reviews', () => {
  it('offers the tool for findings, which ordinary turns do not have', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'ok' }, { text: 'ok' }, { text: 'ok' })
    const talk = await place.talk({ model })
    for (const purpose of [undefined, 'review', undefined] as const) {
      await talk.watched.send('go', purpose === undefined ? {} : { purpose })
      await talk.watched.turnEnded()
    }
    expect(model.requests.map((request) => toolsIn(request).includes('report_findings'))).toEqual([false, true, false])
  })

  it('keeps what was found in the item, the gravest first', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'report_findings', args: found }] }, { text: 'ok' })
    const talk = await place.talk({ model })
    await talk.watched.send('go', { purpose: 'review' })
    await talk.watched.turnEnded()
    expect(talk.watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({
      status: 'completed',
      title: 'Review: 1 critical, 1 low',
      text: '1. [critical] a.ts:3 A crash\n   Null is read.\n2. [low] b.ts A name\n   It says nothing.',
      findings: [
        { severity: 'critical', file: 'a.ts', line: 3, title: 'A crash', why: 'Null is read.' },
        { severity: 'low', file: 'b.ts', title: 'A name', why: 'It says nothing.' },
      ],
    })
  })

  it('asks nobody and changes nothing; the next turn asks again', async () => {
    await using place = testPlace()
    const patch = '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch'
    const change = (callId: string) => ({ calls: [{ callId, name: 'apply_patch', args: { patch } }] })
    const model = scriptedModel(change('c1'), { text: 'ok' }, change('c2'), { text: 'ok' })
    const talk = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    await talk.watched.send('go', { purpose: 'review' })
    await talk.watched.turnEnded()
    expect(talk.watched.items().find(({ type }) => type === 'fileChange')).toMatchObject({
      status: 'denied',
      decision: { verdict: 'deny', code: 'policyNever' },
    })
    await talk.watched.send('go on')
    expect(await talk.watched.approval()).toMatchObject({ kind: 'patch' })
  })

  it('runs commands in the sandbox where the conversation has full access, also from the inbox', async () => {
    await using place = testPlace()
    const fake = fakeSandboxes()
    const run = (callId: string) => ({ calls: [{ callId, name: 'shell', args: { command: 'echo a > b' } }] })
    const model = scriptedModel(run('c1'), { text: 'ok' }, run('c2'), { text: 'ok' }, run('c3'), { text: 'ok' })
    const ports = { model, sandboxes: fake.sandboxes }
    const talk = await place.talk(ports, { sandbox: 'danger-full-access', approvalPolicy: 'never' })
    await talk.watched.send('go')
    await talk.watched.send('review', { when: 'queue', purpose: 'review' })
    await talk.watched.send('review', { when: 'queue', purpose: 'review' })
    await talk.watched.until(({ core }) => core.turn === null && core.counts.turns === 3)
    const limits = talk.watched
      .items()
      .flatMap((item) => (item.type === 'commandExecution' ? [item.decision?.limits] : []))
    expect(limits).toEqual([
      { sandbox: 'none', network: true },
      { sandbox: 'read-only', network: false },
      { sandbox: 'read-only', network: false },
    ])
    expect(fake.prepared.map(({ mode }) => mode)).toEqual(['read-only', 'read-only'])
  })

  it('is not made of a message that goes into a running turn', async () => {
    await using place = testPlace()
    const talk = await place.talk({ model: scriptedModel({ text: 'ok' }) })
    const { conversationId } = talk.summary
    const input = [{ type: 'text' as const, text: 'go' }]
    const steered = talk.client.request('conversation/sendMessage', {
      conversationId,
      input,
      when: 'steer',
      purpose: 'review',
    })
    await expect(steered).rejects.toMatchObject({ data: { code: 'invalidParams', field: 'purpose' } })
  })
})
