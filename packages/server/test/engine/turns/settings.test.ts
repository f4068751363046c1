import { unknownModel } from '@parley/engine/src/settings/facts-of-model.ts'
import type { ModelSources } from '@parley/engine/src/settings/model-sources.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { fullAccess, testPlace } from '../support/test-server.ts'

/** Sources where every provider but one is unknown. */
function knowing(known: string): ModelSources {
  const source = {
    client: scriptedModel().client,
    limits: { requestMaxRetries: 0, streamMaxRetries: 0 },
    factsOf: () => unknownModel,
    maxOutputOf: () => undefined,
  }
  return () => (id) => (id === known ? source : { ...source, isUnknown: true })
}

describe('a change of settings', () => {
  it('before the first message becomes part of the creation', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk()
    const { conversationId } = watched
    await client.request('conversation/configure', {
      conversationId,
      settings: { model: 'm2', approvalPolicy: 'never' },
    })
    await watched.send('hi')
    await watched.turnEnded()
    expect(watched.events[0]?.event).toMatchObject({
      type: 'conversation.created',
      settings: { model: 'm2', approvalPolicy: 'never' },
    })
  })

  it('takes effect at the next model call, and earlier entries stay the same', async () => {
    await using place = testPlace()
    const other = scriptedModel({ text: 'two' })
    const model = scriptedModel({ text: 'one', calls: [{ name: 'list_dir', args: {} }] }, { text: 'still me' })
    const { client, watched } = await place.talk({ model, others: { other } })
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    await client.request('conversation/configure', {
      conversationId,
      settings: { modelProvider: 'other', model: 'm2' },
    })
    await watched.send('again')
    await watched.turnEnded()
    expect(watched.events.findLast(({ event }) => event.type === 'conversation.configured')?.event).toMatchObject({
      settings: { modelProvider: 'other', model: 'm2' },
      by: { name: 'test' },
    })
    expect(other.requests[0]).toMatchObject({ model: 'm2' })
    expect(other.requests[0]?.entries.slice(0, 4)).toEqual(model.requests[1]?.entries)
  })

  it('to a provider that the conversation was not opened with is refused, and nothing changes', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ models: knowing('fake') })
    const { conversationId } = watched
    const settings = { modelProvider: 'late', model: 'm2' }
    expect(await client.refused('conversation/configure', { conversationId, settings })).toMatchObject({
      code: 'invalidParams',
      message: expect.stringContaining('Start parley again (or /new)'),
    })
    expect(watched.state.core.settings.modelProvider).toBe('fake')
  })

  it('of the sandbox changes the enforcement, and the model reads it', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'a' }, { text: 'b' })
    const { client, watched } = await place.talk({ model, ceiling: fullAccess })
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    await client.request('conversation/configure', { conversationId, settings: { sandbox: 'danger-full-access' } })
    await watched.send('again')
    await watched.turnEnded()
    expect(watched.state.core.settings).toMatchObject({ sandbox: 'danger-full-access', enforcement: 'none' })
    expect(JSON.stringify(model.requests[1]?.entries)).toContain('Sandbox: off (the user chose full access)')
  })

  it('can come with a message that is sent now', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'a' })
    const { watched } = await place.talk({ model })
    await watched.send('hi', { overrides: { model: 'm9', effort: 'high' } })
    await watched.turnEnded()
    expect(model.requests).toMatchObject([{ model: 'm9', effort: 'high' }])
  })

  it('is read at each decision of a running turn', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      async () => {
        await client.request('conversation/configure', {
          conversationId: watched.conversationId,
          settings: { approvalPolicy: 'never' },
        })
        return { calls: [{ name: 'shell', args: { command: 'touch x' } }] }
      },
      { text: 'ok' },
    )
    const { client, watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'denied', decision: { verdict: 'deny', code: 'noSandbox' } })
  })
})

describe('a config file', () => {
  it('is rejected with file and line when it has a mistake', async () => {
    await using place = testPlace()
    place.write('../.parley/config.toml', 'model = "m"\napproval_policy = "sometimes"\n')
    const client = await place.start().connect()
    const refused = await client.refused('conversation/create', { cwd: place.cwd })
    expect(refused).toMatchObject({
      number: -32008,
      code: 'configInvalid',
      detail: { where: '$PARLEY_HOME/config.toml:2' },
    })
  })

  it('is used with a warning when it has an unknown key', async () => {
    await using place = testPlace()
    place.write('../.parley/config.toml', 'modle = "x"\nmodel = "m"\nmodel_provider = "ollama"\n')
    const client = await place.start().connect()
    const { warnings } = await client.request('conversation/create', { cwd: place.cwd })
    expect(warnings).toEqual(['$PARLEY_HOME/config.toml:1: unknown key "modle". Did you mean "model"?'])
  })
})
