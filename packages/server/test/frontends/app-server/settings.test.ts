import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../../engine/support/test-server.ts'
import { opened, turn } from './threads.ts'

describe('permission profiles of an app-server', () => {
  it('are the sandbox modes, with what the ceiling leaves of them', async () => {
    await using place = testPlace()
    const { client } = await opened(place, {})
    await using _ = client
    expect(await client.result('permissionProfile/list', {})).toEqual({
      data: [
        { id: ':read-only', description: null, allowed: true },
        { id: ':workspace', description: null, allowed: true },
        { id: ':danger-full-access', description: null, allowed: false },
      ],
      nextCursor: null,
    })
    expect(await client.result('thread/start', { cwd: place.cwd, permissions: ':read-only' })).toMatchObject({
      sandbox: { type: 'readOnly' },
      activePermissionProfile: { id: ':read-only', extends: null },
    })
    for (const permissions of [
      { permissions: ':danger-full-access' },
      { permissions: 'mine' },
      { permissions: ':workspace', sandbox: 'read-only' },
    ])
      expect((await client.ask('thread/start', { cwd: place.cwd, ...permissions }))['error']).toMatchObject({
        code: -32600,
      })
  })
})

describe('settings of a thread', () => {
  it('are changed before its first turn and between turns, within the ceiling, and told', async () => {
    await using place = testPlace()
    const { client, threadId } = await opened(place, { model: scriptedModel({ text: 'a' }) })
    await using _ = client
    const told = () => client.received.filter(({ method }) => method === 'thread/settings/updated')
    expect(await client.result('thread/settings/update', { threadId, permissions: ':read-only' })).toEqual({})
    await client.until(({ method }) => method === 'thread/settings/updated')
    expect(told()).toMatchObject([{ params: { threadId, threadSettings: { sandboxPolicy: { type: 'readOnly' } } } }])
    await turn(client, threadId, 'hi')
    const wider = { approvalPolicy: 'untrusted', sandboxPolicy: { type: 'workspaceWrite' }, effort: 'high' }
    expect(await client.result('thread/settings/update', { threadId, ...wider })).toEqual({})
    await client.until(({ params }) => JSON.stringify(params ?? '').includes('"approvalPolicy":"untrusted"'))
    expect(told().at(-1)).toMatchObject({
      params: { threadSettings: { effort: 'high', activePermissionProfile: { id: ':workspace' } } },
    })
    const before = told().length
    await client.result('thread/settings/update', { threadId, effort: 'high', approvalsReviewer: 'user' })
    await client.until(() => told().length === before + 1)
    for (const refused of [
      { approvalsReviewer: 'auto_review' },
      { permissions: ':danger-full-access' },
      { cwd: place.root },
      { sandboxPolicy: { type: 'workspaceWrite', networkAccess: true } },
    ])
      expect((await client.ask('thread/settings/update', { threadId, ...refused }))['error']).toMatchObject({
        code: -32600,
      })
  })
})
