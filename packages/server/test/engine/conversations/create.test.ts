import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { namesIn, testPlace } from '../support/test-server.ts'

describe('a new conversation', () => {
  it('has only a lock on disk until the first message', async () => {
    await using place = testPlace()
    const { client, summary, server } = await place.talk()
    const { conversationId } = summary
    expect(existsSync(place.path(conversationId))).toBe(false)
    expect((await client.request('conversation/list', {})).conversations).toEqual([])
    expect(await client.refused('conversation/resume', { prefix: summary.shortId })).toMatchObject({
      code: 'conversationNotFound',
    })
    await server.close()
    expect(namesIn(place.path(conversationId, 'folder'))).toEqual([])
  })

  it('has the settings of the caller, then those of the configuration', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, 'other'))
    const { summary } = await place.talk({}, { sandbox: 'read-only', effort: 'low', addDirs: ['../other'] })
    expect(summary).toMatchObject({
      cwd: place.cwd,
      title: '',
      activity: 'idle',
      turns: 0,
      readOnly: false,
      settings: {
        model: 'm1',
        modelProvider: 'fake',
        sandbox: 'read-only',
        enforcement: 'none',
        effort: 'low',
        writableRoots: [join(place.root, 'other')],
      },
    })
    expect(summary.shortId).toBe(summary.conversationId.slice(-8))
  })

  it('is returned again for the same request key', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const params = { cwd: place.cwd, requestKey: 'k1' }
    const [first, second] = await Promise.all([
      client.request('conversation/create', params),
      client.request('conversation/create', params),
    ])
    expect(second).toEqual(first)
    expect((await client.request('conversation/create', { cwd: place.cwd, requestKey: 'k2' })).conversationId).not.toBe(
      first.conversationId,
    )
  })

  it('can be requested again with the same key after a failure', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const params = { cwd: join(place.cwd, 'sub'), requestKey: 'k1' }
    expect(await client.refused('conversation/create', params)).toMatchObject({ number: -32008, code: 'cwdMissing' })
    expect(await client.request('conversation/create', { ...params, cwd: place.cwd })).toMatchObject({ cwd: place.cwd })
  })

  it('is rejected when the folder is a file or lies below one', async () => {
    await using place = testPlace()
    place.write('file', '')
    const client = await place.start().connect()
    const refused = (name: string) => client.refused('conversation/create', { cwd: join(place.cwd, name) })
    expect(await client.refused('conversation/create', { cwd: 'sub' })).toMatchObject({
      code: 'invalidParams',
      message: 'The folder must be an absolute path; sub is not.',
    })
    expect(await refused('file')).toMatchObject({
      code: 'cwdMissing',
      message: `The folder ${join(place.cwd, 'file')} is a file, not a folder.`,
    })
    expect(await refused('file/below')).toMatchObject({ code: 'cwdMissing' })
    expect(await client.refused('conversation/create', { cwd: place.cwd, addDirs: ['file'] })).toMatchObject({
      code: 'configInvalid',
      message: `The added folder ${join(place.cwd, 'file')} is a file, not a folder.`,
    })
  })

  it('is rejected when an added folder does not exist', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    expect(await client.refused('conversation/create', { cwd: place.cwd, addDirs: ['nowhere'] })).toMatchObject({
      code: 'configInvalid',
      message: `The added folder ${join(place.cwd, 'nowhere')} does not exist.`,
      detail: { where: 'addDirs' },
    })
  })

  it('is rejected when the provider, the key or the policy file is missing', async () => {
    await using place = testPlace()
    const client = await place.start().connect()
    const { cwd } = place
    expect(await client.refused('conversation/create', { cwd, modelProvider: 'nobody' })).toMatchObject({
      code: 'unknownProvider',
    })
    expect(await client.refused('conversation/create', { cwd, modelProvider: 'openai' })).toMatchObject({
      code: 'noCredentials',
      detail: { variables: ['OPENAI_API_KEY'] },
    })
    expect(await client.refused('conversation/create', { cwd, policyFile: 'no.toml' })).toMatchObject({
      code: 'configInvalid',
    })
  })

  it('is rejected when the policy file is broken, and leaves no lock', async () => {
    await using place = testPlace()
    place.write('policy.toml', '[[rule]]\nanswer = "perhaps"\n')
    const client = await place.start().connect()
    expect(await client.refused('conversation/create', { cwd: place.cwd, policyFile: 'policy.toml' })).toMatchObject({
      code: 'configInvalid',
    })
    expect(namesIn(join(place.root, '.parley')).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  it('leaves nothing on disk when it is ephemeral', async () => {
    await using place = testPlace()
    const { watched, server } = await place.talk({}, { ephemeral: true })
    await watched.send('hi')
    await watched.turnEnded()
    expect(existsSync(place.path(watched.conversationId))).toBe(false)
    await server.close()
    expect(namesIn(join(place.root, '.parley'))).toEqual(['config.toml'])
  })

  it('reads AGENTS.md of home and of each folder down to its own', async () => {
    await using place = testPlace()
    place.write('../.parley/AGENTS.md', 'from home')
    place.write('AGENTS.md', 'from the project')
    const model = scriptedModel({ text: 'ok' })
    const { watched, summary } = await place.talk({ model }, { baseInstructions: 'BASE' })
    expect(summary.instructionFiles).toEqual([join(place.root, '.parley/AGENTS.md'), join(place.cwd, 'AGENTS.md')])
    await watched.send('hi')
    await watched.turnEnded()
    expect(model.requests[0]?.instructions).toMatch(/^BASE\n\n.*from home\n\n.*from the project$/s)
  })
})

describe('the end of a server', () => {
  it('leaves a log, side files and a free lock', async () => {
    await using place = testPlace()
    const { watched, server } = await place.talk()
    await watched.send('hi')
    await watched.turnEnded()
    await server.close()
    const { conversationId } = watched
    const names = readdirSync(place.path(conversationId, 'folder')).map((name) => name.replace(conversationId, 'ID'))
    expect(names.sort()).toEqual(['ID.files', 'ID.jsonl', 'ID.lock'])
    rmSync(place.path(conversationId, 'lock'))
  })
})
