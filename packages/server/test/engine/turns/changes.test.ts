import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelSources } from '@parley/engine/src/settings/model-sources.ts'
import { type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { modelFacts } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { namesIn, testPlace } from '../support/test-server.ts'

const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-alpha\n+beta\n*** End Patch'
const edit = { name: 'edit_file', args: { path: 'a.txt', old: 'alpha', new: 'beta' } }
const write = { name: 'write_file', args: { path: 'a.txt', content: 'beta\n' } }
const heredoc = { name: 'shell', args: { command: `apply_patch <<'EOF'\n${patch}\nEOF` } }
const named = { name: 'edit_file', args: { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' } }

describe('a change by a tool', () => {
  it.each([
    ['apply_patch', { name: 'apply_patch', args: { patch } }],
    ['edit_file', edit],
    ['write_file', write],
    ['a patch in a shell command', heredoc],
    ['other names of the fields', named],
  ])('%s is shown, asked about as a patch, and applied after the yes', async (_name, call) => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const model = scriptedModel({ calls: [call] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    const approval = await watched.approval()
    expect(approval).toMatchObject({
      kind: 'patch',
      files: [{ path: 'a.txt', kind: 'update' }],
      detail: expect.stringContaining('-alpha\n+beta'),
    })
    expect(place.read('a.txt')).toBe('alpha\n')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('a.txt')).toBe('beta\n')
    expect(watched.items()[1]).toMatchObject({
      type: 'fileChange',
      status: 'completed',
      changes: [{ path: 'a.txt', additions: 1, deletions: 1 }],
    })
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      isError: false,
      text: expect.stringContaining('M a.txt'),
    })
    expect(namesIn(place.cwd)).toEqual(['a.txt'])
  })

  it.each([
    ['edit_file', { path: '../out.txt', old: 'alpha', new: 'beta' }],
    ['write_file', { path: '../out.txt', content: 'beta\n' }],
    ['write_file', { path: '.git/hooks/pre-commit', content: '#!/bin/sh\n' }],
  ])('%s of %j is asked about where the file lies, and denied under never', async (name, args) => {
    await using place = testPlace()
    mkdirSync(join(place.cwd, '.git/hooks'), { recursive: true })
    writeFileSync(join(place.cwd, '../out.txt'), 'alpha\n')
    const model = scriptedModel({ calls: [{ name, args }] }, { text: 'ok' })
    const { watched } = await place.talk({ model }, { approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ type: 'fileChange', status: 'denied' })
    expect(place.read('../out.txt')).toBe('alpha\n')
    expect(() => place.read('.git/hooks/pre-commit')).toThrow()
  })

  it('is asked about anew when the file has changed between question and yes', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\nrest\n')
    const { client, watched } = await place.talk({ model: scriptedModel({ calls: [edit] }, { text: 'ok' }) })
    await watched.send('go')
    const first = await watched.approval()
    place.write('a.txt', 'alpha\nother rest\n')
    await watched.decide('approved')
    const second = await watched.until(({ core }) =>
      Object.values(core.approvals).find(({ id, state }) => state === 'pending' && id !== first.id),
    )
    expect(second.contentHash).not.toBe(first.contentHash)
    const { conversationId } = watched
    await client.request('approval/decide', { conversationId, approvalId: second.id, decision: 'approved' })
    await watched.turnEnded()
    expect(place.read('a.txt')).toBe('beta\nother rest\n')
  })
})

/** Sources that know the models of the catalogue. */
function known({ client }: ScriptedModel): ModelSources {
  return () => () => ({
    client,
    limits: { requestMaxRetries: 0, streamMaxRetries: 0 },
    factsOf: (model) => modelFacts({ id: 'fake', baseUrl: '' }, model),
    maxOutputOf: () => undefined,
  })
}

describe('the tools that change files', () => {
  it.each([
    ['gpt-5.1-codex', ['apply_patch'], 'Change files with apply_patch.'],
    ['claude-sonnet-5', ['edit_file', 'write_file'], 'Change files with edit_file, new ones with write_file.'],
  ])('offered to %s are %j, and the instructions name them', async (name, tools, words) => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'ok' })
    const { watched } = await place.talk({ model, models: known(model) }, { model: name })
    await watched.send('go')
    await watched.turnEnded()
    const [request] = model.requests
    const offered = request?.tools.map((tool) => tool.name) ?? []
    expect(offered.filter((tool) => ['apply_patch', 'edit_file', 'write_file'].includes(tool))).toEqual(tools)
    expect(request?.instructions).toContain(words)
    const patchTool = request?.tools.find((tool) => tool.name === 'apply_patch')
    expect(patchTool?.freeform?.field).toBe(tools[0] === 'apply_patch' ? 'patch' : undefined)
  })

  it('change with the model in mid-conversation, and an earlier call of another tool stays in it', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const model = scriptedModel({ calls: [{ name: 'apply_patch', args: { patch } }] }, { text: 'ok' }, { text: 'ok' })
    const settings = { model: 'gpt-5', sandbox: 'danger-full-access' } as const
    const { watched, client } = await place.talk({ model, models: known(model) }, settings)
    await watched.send('go')
    await watched.turnEnded()
    await client.request('conversation/configure', {
      conversationId: watched.conversationId,
      settings: { model: 'claude-sonnet-5' },
    })
    await watched.send('on')
    await watched.turnEnded()
    const last = model.requests.at(-1)
    expect(last?.tools.map(({ name }) => name)).toContain('edit_file')
    expect(last?.tools.map(({ name }) => name)).not.toContain('apply_patch')
    expect(last?.entries.filter(({ kind }) => kind === 'result')).toHaveLength(1)
  })
})

describe('a call that cannot be understood', () => {
  it.each([
    ['aply_patch', '{}', 'Tools with a like name: apply_patch'],
    ['shell', '{"command":"ls', 'The arguments end in the middle, after 14 characters'],
    ['shell', 'ls -la', 'The arguments are not valid JSON.\nThey began: ls -la'],
  ])('%s with %j gets a result that says why', async (name, args, words) => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name, args }] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ isError: true, text: expect.stringContaining(words) })
  })
})
