import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const shell = (command: string) => ({ name: 'shell', args: { command } })
const starts = (story: readonly string[]) => story.filter((line) => line.startsWith('execution.started'))

describe('the answer approvedAlways', () => {
  it('is offered with its rule, writes the rule, and applies at once in every conversation of the server', async () => {
    await using place = testPlace()
    const file = join(place.root, '.parley', 'policy.toml')
    const model = scriptedModel(
      { calls: [shell('touch made')] },
      { calls: [shell('touch made')] },
      { text: 'ok' },
      { calls: [shell('touch made')] },
      { text: 'ok' },
      { calls: [shell('touch made more')] },
    )
    const { watched, client } = await place.talk({ model })
    const other = await client.watch((await client.request('conversation/create', { cwd: place.cwd })).conversationId)
    await watched.send('go')
    const rule = '[[rule]]\ndecision = "allow"\ncommand = ["touch", "made"]\nexact = true\n'
    const approval = await watched.approval()
    expect(approval.decisions).toEqual(['approved', 'approvedForSession', 'approvedAlways', 'denied', 'abort'])
    expect(approval.always).toEqual({ label: 'touch made', rule, file })
    await watched.decide('approvedAlways')
    await watched.turnEnded()
    expect(readFileSync(file, 'utf8')).toBe(rule)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(starts(watched.story())).toEqual([
      'execution.started by approval',
      'execution.started by rule:command touch made (exactly)',
    ])
    const notice = watched.items().find(({ type }) => type === 'notice')
    expect(notice).toMatchObject({
      code: 'ruleAdded',
      title: expect.stringContaining(`(${file}:1)`),
      rule: { file, line: 1 },
    })
    await other.send('go')
    await other.turnEnded()
    expect(starts(other.story())).toEqual(['execution.started by rule:command touch made (exactly)'])
    await other.send('go')
    expect(await other.approval()).toMatchObject({ title: 'touch made more' })
  })

  it('is rejected when its rule cannot be written, and the question stays open', async () => {
    await using place = testPlace()
    const { watched, client } = await place.talk({
      model: scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' }),
    })
    await watched.send('go')
    const { id: approvalId } = await watched.approval()
    writeFileSync(join(place.root, '.parley', 'policy.toml'), '[[rule]]\nreason = "unfinished')
    const { conversationId } = watched
    const refused = await client.refused('approval/decide', { conversationId, approvalId, decision: 'approvedAlways' })
    expect(refused).toMatchObject({ code: 'configInvalid', message: expect.stringContaining('policy.toml:2') })
    expect(() => place.read('made')).toThrow()
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('made')).toBe('')
  })

  it('is rejected when it was not offered', async () => {
    await using place = testPlace()
    const { watched, client } = await place.talk({ model: scriptedModel({ calls: [shell('rm -rf made')] }) })
    await watched.send('go')
    const { id: approvalId, decisions, ...approval } = await watched.approval()
    expect({ decisions, offered: 'always' in approval }).toEqual({
      decisions: ['approved', 'denied', 'abort'],
      offered: false,
    })
    const { conversationId } = watched
    expect(
      await client.refused('approval/decide', { conversationId, approvalId, decision: 'approvedAlways' }),
    ).toMatchObject({ code: 'invalidParams', detail: { field: 'decision' } })
  })
})
