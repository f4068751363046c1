import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { identityOf } from '@parley/host'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const shell = (command: string, more: object = {}) => ({ name: 'shell', args: { command, ...more } })
const asking = { reason: 'to see' }

describe('a command with an enforced sandbox', () => {
  it('runs without a question in the sandbox with exactly its limits', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' })
    const { watched, summary } = await place.talk({ model, sandboxes })
    expect(summary.settings.enforcement).toBe('full')
    await watched.send('go')
    await watched.turnEnded()
    const scratch = join(place.root, '.parley', 'scratch', watched.conversationId)
    expect(prepared).toEqual([
      {
        mode: 'workspace-write',
        identities: new Map([[place.cwd, identityOf(place.cwd)]]),
        writableRoots: [place.cwd],
        network: false,
        unixSockets: false,
        masked: expect.arrayContaining([join(place.root, '.parley'), join(place.root, '.ssh')]),
        scratch,
      },
    ])
    expect(statSync(scratch).mode & 0o777).toBe(0o700)
    expect(watched.items()[1]).toMatchObject({
      status: 'completed',
      decision: { rule: { name: 'builtin:sandboxed' }, limits: { sandbox: 'workspace-write', network: false } },
    })
  })

  it('runs in a read-only sandbox when it only reads', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('ls')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes })
    await watched.send('go')
    await watched.turnEnded()
    expect(prepared).toMatchObject([{ mode: 'read-only', network: false }])
  })

  it('reports guarded paths that were exchanged meanwhile, to people and to the model', async () => {
    await using place = testPlace()
    const { sandboxes } = fakeSandboxes()
    const said = 'The file was exchanged.'
    const exchanging: typeof sandboxes = {
      ...sandboxes,
      prepare: async (limits) => ({ ...(await sandboxes.prepare(limits)), release: () => [{ text: said }] }),
    }
    const model = scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes: exchanging })
    await watched.send('go')
    await watched.turnEnded()
    const notices = watched.items().filter(({ type }) => type === 'notice')
    expect(notices).toMatchObject([{ level: 'warning', code: 'guardExchanged', title: said }])
    const command = watched.items().find(({ type }) => type === 'commandExecution')
    expect(command).toMatchObject({ modelText: expect.stringContaining(`(${said})`) })
  })

  it('has its /tmp removed when the conversation is closed', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell('true')] }, { text: 'ok' })
    const { server, watched } = await place.talk({ model, ...fakeSandboxes() })
    await watched.send('go')
    await watched.turnEnded()
    const scratch = join(place.root, '.parley', 'scratch', watched.conversationId)
    expect(existsSync(scratch)).toBe(true)
    await server.close()
    expect(existsSync(scratch)).toBe(false)
  })
})

describe('a command that asks for more', () => {
  it('gets the network for itself after the approval, and the question says so', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const fetching = shell('echo x', { network: true, ...asking })
    const model = scriptedModel({ calls: [fetching] }, { calls: [fetching, shell('echo x; true')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({
      kind: 'network',
      sandbox: 'workspace-write',
      network: true,
      justification: 'to see',
      rule: { name: 'builtin:network' },
    })
    expect(prepared).toEqual([])
    await watched.decide('approved')
    // The same command again: a yes for the network covers one run.
    await watched.until(() => prepared.length === 1)
    await watched.decide('approved')
    await watched.turnEnded()
    expect(prepared.map(({ network }) => network)).toEqual([true, true, false])
  })

  it('is asked about before it leaves the sandbox, then runs without a sandbox', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('ls', { escalate: true, ...asking })] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({
      kind: 'escalation',
      sandbox: 'none',
      network: true,
      justification: 'to see',
    })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(prepared).toEqual([])
    expect(watched.items()[1]).toMatchObject({ status: 'completed', decision: { limits: { sandbox: 'none' } } })
  })

  it('is rejected without a reason', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell('ls', { network: true })] }, { text: 'ok' })
    const { watched } = await place.talk({ model, ...fakeSandboxes() })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'failed', modelText: expect.stringContaining('network needs') })
  })

  it('has no network under never, unless the user gave it to all commands', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const fetching = shell('touch made', { network: true, ...asking })
    const model = scriptedModel({ calls: [fetching] }, { text: 'ok' }, { calls: [fetching] }, { text: 'ok' })
    const { client, watched } = await place.talk({ model, sandboxes }, { approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'denied', decision: { code: 'networkRefused' } })
    const config = { 'sandbox_workspace_write.network_access': true }
    await client.request('conversation/resume', { conversationId: watched.conversationId, overrides: { config } })
    await watched.until(({ core }) => core.settings.network === true)
    await watched.send('again')
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    expect(prepared).toMatchObject([{ network: true }])
  })
})

describe('a command that asks for the network when all commands have it', () => {
  it('is covered by a grant for the session', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const fetching = shell('touch made', { network: true, ...asking })
    const model = scriptedModel({ calls: [fetching] }, { calls: [fetching] }, { text: 'ok' })
    const config = { 'sandbox_workspace_write.network_access': true }
    const { watched } = await place.talk({ model, sandboxes }, { approvalPolicy: 'untrusted', config })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ kind: 'command', network: true })
    await watched.decide('approvedForSession')
    await watched.turnEnded()
    expect(prepared).toMatchObject([{ network: true }, { network: true }])
  })
})

describe('an approval', () => {
  it('does not cover other limits', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' })
    const { client, watched } = await place.talk({ model, sandboxes }, { approvalPolicy: 'untrusted' })
    const { conversationId } = watched
    await watched.send('go')
    const { id, sandbox } = await watched.approval()
    expect(sandbox).toBe('workspace-write')
    await client.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
    await watched.decide('approved')
    const again = await watched.until(({ core }) => Object.values(core.approvals).find((asked) => asked.id !== id))
    expect(again).toMatchObject({ sandbox: 'read-only', reason: expect.stringContaining('has changed since the yes') })
    expect(prepared).toEqual([])
  })

  it('of a full sandbox does not cover a partial sandbox', async () => {
    await using place = testPlace()
    const fake = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes: fake.sandboxes }, { approvalPolicy: 'untrusted' })
    await watched.send('go')
    const { id } = await watched.approval()
    fake.breakTo('partial')
    await fake.sandboxes.recheck()
    await watched.decide('approved')
    const again = await watched.until(({ core }) => Object.values(core.approvals).find((asked) => asked.id !== id))
    expect(again).toMatchObject({ reason: expect.stringContaining('has changed since the yes') })
    expect(watched.state.core.settings.enforcement).toBe('partial')
    expect(fake.prepared).toEqual([])
  })
})

describe('a decision for a full sandbox', () => {
  it('does not start the command when the sandbox has become weaker', async () => {
    await using place = testPlace()
    const { sandboxes } = fakeSandboxes()
    let enforcement: 'full' | 'partial' = 'full'
    const weakening: typeof sandboxes = {
      ...sandboxes,
      report: () => Promise.resolve({ enforcement, reason: `Tests say ${enforcement}.` }),
      prepare(limits) {
        enforcement = 'partial'
        return sandboxes.prepare(limits)
      },
    }
    const model = scriptedModel({ calls: [shell('touch made')] }, { calls: [shell('touch made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes: weakening })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ rule: { name: 'builtin:partial-sandbox' } })
    expect(watched.items()[1]).toMatchObject({
      status: 'failed',
      modelText: expect.stringMatching(/^Not run: .*weaker/),
    })
    expect(() => place.read('made')).toThrow()
  })
})

describe('a turn that is stopped while a sandbox is prepared', () => {
  it.each([{}, { background: true }])('starts nothing (%j)', async (more) => {
    await using place = testPlace()
    const { sandboxes } = fakeSandboxes()
    const asked = Promise.withResolvers<void>()
    const ready = Promise.withResolvers<void>()
    let released = 0
    const slow: typeof sandboxes = {
      ...sandboxes,
      async prepare(limits) {
        asked.resolve()
        await ready.promise
        return { ...(await sandboxes.prepare(limits)), release: () => Array(released++ * 0) }
      },
    }
    const model = scriptedModel({ calls: [shell('touch made', more)] })
    const { client, watched, server } = await place.talk({ model, sandboxes: slow })
    const { conversationId } = watched
    await watched.send('go')
    await asked.promise
    await client.request('conversation/interrupt', { conversationId })
    ready.resolve()
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'interrupted', modelText: 'Not run: the turn was stopped.' })
    expect(released).toBe(1)
    await server.close()
    expect(() => place.read('made')).toThrow()
  })
})

describe('a sandbox that cannot be set up', () => {
  it('keeps its command from running, and the next one is asked about', async () => {
    await using place = testPlace()
    const fake = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('touch made')] }, { calls: [shell('touch made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes: fake.sandboxes })
    fake.breakTo('none')
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ rule: { name: 'builtin:no-sandbox' }, sandbox: 'none' })
    expect(() => place.read('made')).toThrow()
    expect(watched.state.core.settings.enforcement).toBe('none')
    expect(watched.items().slice(1)).toMatchObject([
      { status: 'failed', failure: { code: 'sandboxFailed' }, modelText: expect.stringMatching(/^Not run: .*helper/) },
      { type: 'notice', code: 'sandboxWeaker', title: expect.stringContaining('Tests say none.') },
    ])
  })

  it('leaves the enforcement unchanged when the next sandbox works', async () => {
    await using place = testPlace()
    const { sandboxes } = fakeSandboxes()
    let failures = 1
    const flaky: typeof sandboxes = {
      ...sandboxes,
      prepare: (limits) => (failures-- > 0 ? Promise.reject(new Error('busy')) : sandboxes.prepare(limits)),
    }
    const model = scriptedModel({ calls: [shell('touch made')] }, { calls: [shell('touch made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes: flaky })
    await watched.send('go')
    await watched.turnEnded()
    expect(place.read('made')).toBe('')
    expect(watched.state.core.settings.enforcement).toBe('full')
  })
})

describe('the enforcement of a conversation', () => {
  it('is checked again on resume, with a notice if it is weaker', async () => {
    await using place = testPlace()
    const { server, watched: before } = await place.talk({ model: scriptedModel({ text: 'hi' }), ...fakeSandboxes() })
    await before.send('go')
    await before.turnEnded()
    await server.close()
    const client = await place.start({ model: scriptedModel() }).connect()
    const { settings } = await client.request('conversation/resume', { conversationId: before.conversationId })
    expect(settings.enforcement).toBe('none')
    const watched = await client.watch(before.conversationId)
    expect(watched.items().at(-1)).toMatchObject({ code: 'sandboxWeaker', level: 'warning' })
  })

  it('follows the sandbox mode in both directions', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'hi' }), ...fakeSandboxes('partial') })
    const { conversationId } = watched
    await watched.send('go')
    await watched.turnEnded()
    await client.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
    await watched.until(({ core }) => core.settings.sandbox === 'read-only')
    expect(watched.state.core.settings.enforcement).toBe('partial')
    expect(await client.request('server/diagnostics', {})).toMatchObject({
      enforcement: 'partial',
      enforcementReason: 'Tests say partial.',
      conversations: [{ enforcementReason: 'Tests say partial.' }],
    })
  })

  it('is partial: a command is asked about and then runs in the sandbox', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes('partial')
    const model = scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({
      rule: { name: 'builtin:partial-sandbox' },
      sandbox: 'workspace-write',
    })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(prepared).toMatchObject([{ mode: 'workspace-write' }])
  })
})

describe('a workspace', () => {
  it('is read-only with a warning when it is the whole file system', async () => {
    await using place = testPlace()
    const server = place.start({ model: scriptedModel(), ...fakeSandboxes() })
    const client = await server.connect()
    const { conversationId, settings, warnings } = await client.request('conversation/create', { cwd: '/' })
    expect(settings.sandbox).toBe('read-only')
    expect(warnings).toContainEqual(expect.stringContaining('whole file system'))
    const change = { conversationId, settings: { sandbox: 'workspace-write' as const } }
    expect(await client.refused('conversation/configure', change)).toMatchObject({ code: 'invalidParams' })
  })

  it('gives a warning when it holds the home folder', async () => {
    await using place = testPlace()
    const client = await place.start({ model: scriptedModel(), ...fakeSandboxes() }).connect()
    const { warnings, settings } = await client.request('conversation/create', { cwd: place.root })
    expect(warnings).toContainEqual(expect.stringContaining('holds your home folder'))
    expect(settings.sandbox).toBe('workspace-write')
  })

  it('is not writable when it was removed', async () => {
    await using place = testPlace()
    const added = join(place.root, 'added')
    mkdirSync(added)
    const { sandboxes, prepared } = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('rmdir ../added')] }, { calls: [shell('true')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes }, { addDirs: [added] })
    await watched.send('go')
    await watched.turnEnded()
    expect(prepared.map(({ writableRoots }) => writableRoots)).toEqual([[place.cwd, added], [place.cwd]])
  })
})
