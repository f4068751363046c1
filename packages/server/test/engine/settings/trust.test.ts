import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { TestClient } from '@parley/engine/test/support/test-client.ts'
import { noSandbox, noSandboxes, type Sandboxes, type SandboxLimits } from '@parley/host'
import { describe, expect, it } from 'vitest'
import { type McpPlace, mcpPlace, serverIn } from '../../tools/mcp/support/mcp-place.ts'

const script = fileURLToPath(new URL('../../tools/mcp/support/ugly-server.mjs', import.meta.url))
const usual = { model: 'm1', approvalPolicy: 'on-request', sandbox: 'workspace-write' }

/** A project that brings a tool server, settings and rules. */
function projectPlace(): McpPlace {
  const place = mcpPlace()
  mkdirSync(join(place.cwd, '.parley'))
  place.write('mcp.mjs', `import ${JSON.stringify(script)}\n`)
  place.write(
    '.parley/config.toml',
    `model = "theirs"\nsandbox_mode = "read-only"\napproval_policy = "never"\nopenai_base_url = "http://127.0.0.1:9/v1"\n[mcp_servers.theirs]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["mcp.mjs", "plain", ${JSON.stringify(diaryIn(place))}]\nenv = { NOTE = "hi" }\n`,
  )
  place.write('.parley/policy.toml', '[[rule]]\ndecision = "deny"\ncommand = ["make"]\n')
  return place
}

const diaryIn = ({ root }: McpPlace) => join(root, 'theirs.diary')

/** Says that it enforces, and notes what; nothing real is put around the command. */
function sandboxesOf(enforcement: 'full' | 'partial' | 'none'): Sandboxes & { readonly prepared: SandboxLimits[] } {
  const prepared: SandboxLimits[] = []
  const report = () => Promise.resolve({ enforcement, reason: 'A test says so.' })
  return {
    prepared,
    report,
    recheck: report,
    prepare(limits) {
      prepared.push(limits)
      return Promise.resolve(noSandbox)
    },
    openLoopback: () => Promise.resolve(null),
  }
}

async function trust(client: TestClient, cwd: string): Promise<void> {
  const { hash } = await client.request('trust/read', { cwd })
  await client.request('trust/decide', { cwd, hash: hash ?? '', verdict: 'trusted' })
}

async function oneTurn(place: McpPlace, client: TestClient) {
  const summary = await client.request('conversation/create', { cwd: place.cwd })
  const watched = await client.watch(summary.conversationId)
  await watched.send('hi')
  await watched.turnEnded()
  return { summary, watched }
}

describe('the configuration of a project', () => {
  it('has no effect before it is trusted, and every client gets a notice', async () => {
    await using place = projectPlace()
    const { client, summary, watched } = await place.talkTo(scriptedModel())
    expect(summary.settings).toMatchObject(usual)
    expect(summary.warnings).toEqual([
      'This project brings its own configuration (.parley/config.toml, .parley/policy.toml, 1 tool server). Nothing of it takes effect unless you trust it. `parley trust`, or /trust in the terminal, shows it and how to decide.',
    ])
    await watched.send('hi')
    await watched.turnEnded()
    expect(await client.request('mcp/list', {})).toEqual({ servers: [] })
    expect(existsSync(diaryIn(place))).toBe(false)
    expect(JSON.stringify(await client.request('config/read', { cwd: place.cwd }))).not.toContain('theirs"')
  })

  it('is reported as exactly what it would run and change', async () => {
    await using place = projectPlace()
    const { client } = await place.talkTo(scriptedModel())
    const report = await client.request('trust/read', { cwd: place.cwd })
    expect(report).toMatchObject({
      root: place.cwd,
      state: 'untrusted',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      wouldRun: [
        {
          name: 'theirs',
          argv: [process.execPath, 'mcp.mjs', 'plain', diaryIn(place)],
          cwd: place.cwd,
          env: { NOTE: 'hi' },
          sandboxed: false,
          network: true,
        },
      ],
      changes: [
        'model = "theirs"',
        'sandbox_mode = "read-only"',
        'rule: deny command make',
        expect.stringMatching(/^the file mcp\.mjs counts as it is now \(sha256:[0-9a-f]{12}\)$/),
      ],
      ignored: [
        expect.stringContaining('"openai_base_url" is ignored'),
        expect.stringContaining('approval_policy = "never" is ignored'),
      ],
      files: [{ path: '.parley/config.toml' }, { path: '.parley/policy.toml' }],
    })
  })

  it('takes effect in new conversations once it is trusted', async () => {
    await using place = projectPlace()
    const model = scriptedModel(
      { text: 'a' },
      { calls: [{ name: 'shell', args: { command: 'make it' } }] },
      { text: 'b' },
    )
    const talk = await place.talkTo(model)
    await trust(talk.client, place.cwd)
    await talk.watched.send('hi')
    await talk.watched.turnEnded()
    expect(await talk.client.request('mcp/list', {})).toEqual({ servers: [] })
    const { summary, watched } = await oneTurn(place, talk.client)
    expect(summary).toMatchObject({
      settings: { model: 'theirs', sandbox: 'read-only', approvalPolicy: 'on-request' },
      warnings: [
        expect.stringContaining('"openai_base_url" is ignored'),
        expect.stringContaining('approval_policy = "never" is ignored'),
      ],
    })
    expect(watched.items().find(({ type }) => type === 'commandExecution')).toMatchObject({
      status: 'denied',
      decision: { rule: { name: 'rule:command make', file: join(place.cwd, '.parley/policy.toml'), line: 1 } },
    })
    expect(await serverIn(talk, 'ready')).toMatchObject({ name: 'theirs' })
    const { values } = await talk.client.request('config/read', { cwd: place.cwd })
    expect(values).toContainEqual({ key: 'model', value: 'theirs', origin: '.parley/config.toml' })
  })

  it('is trusted only as it was shown, and only by a client that may make changes', async () => {
    await using place = projectPlace()
    const { client, server } = await place.talkTo(scriptedModel())
    const { hash } = await client.request('trust/read', { cwd: place.cwd })
    const decide = (given: string) => ({ cwd: place.cwd, hash: given, verdict: 'trusted' }) as const
    const watcher = await server.connect('watcher', { access: 'readOnly' })
    expect(await watcher.refused('trust/decide', decide(hash ?? ''))).toMatchObject({ code: 'notPermitted' })
    place.write('mcp.mjs', 'throw new Error("evil")\n')
    expect(await client.refused('trust/decide', decide(hash ?? ''))).toMatchObject({
      code: 'invalidParams',
      detail: { field: 'hash' },
    })
    expect(await client.refused('trust/decide', decide(''))).toMatchObject({ code: 'invalidParams' })
    expect(await watcher.request('trust/read', { cwd: place.cwd })).toMatchObject({ state: 'untrusted' })
    expect(await client.refused('trust/read', { cwd: 'work' })).toMatchObject({ detail: { field: 'cwd' } })
    expect(await client.request('trust/read', { cwd: place.root })).toMatchObject({ state: 'none', hash: null })
  })

  it('has no effect after a no, and is not reported again', async () => {
    await using place = projectPlace()
    const { client } = await place.talkTo(scriptedModel())
    const { hash } = await client.request('trust/read', { cwd: place.cwd })
    const decided = { cwd: place.cwd, hash: hash ?? '', verdict: 'declined' } as const
    expect(await client.request('trust/decide', decided)).toMatchObject({ state: 'declined' })
    const { summary } = await oneTurn(place, client)
    expect(summary).toMatchObject({ settings: usual, warnings: [] })
    expect(existsSync(diaryIn(place))).toBe(false)
  })

  it('is reported with its changes when it changes after it was trusted', async () => {
    await using place = projectPlace()
    const { client } = await place.talkTo(scriptedModel())
    await trust(client, place.cwd)
    place.write('.parley/policy.toml', '[[rule]]\ndecision = "allow"\ncommand = ["make"]\n')
    place.write('mcp.mjs', 'throw new Error("evil")\n')
    const { state, diff = '' } = await client.request('trust/read', { cwd: place.cwd })
    expect(state).toBe('changed')
    expect(diff).toContain('-decision = "deny"\n+decision = "allow"')
    expect(diff).toMatch(/--- mcp\.mjs\ttrusted[\s\S]*-sha256:[\s\S]*\+sha256:/)
    const { summary } = await oneTurn(place, client)
    expect(summary).toMatchObject({ settings: usual, warnings: [expect.stringContaining('has changed since you')] })
    expect(existsSync(diaryIn(place))).toBe(false)
  })
})

describe('a tool server of a trusted project', () => {
  it('starts in a sandbox that allows writing to the project and no network', async () => {
    await using place = projectPlace()
    const sandboxes = sandboxesOf('full')
    const talk = await place.talkTo(scriptedModel(), {}, { sandboxes })
    const report = await talk.client.request('trust/read', { cwd: place.cwd })
    expect(report.wouldRun).toMatchObject([{ sandboxed: true, network: false }])
    place.write('.parley/config.toml', place.read('.parley/config.toml').replace('sandbox_mode = "read-only"\n', ''))
    await trust(talk.client, place.cwd)
    await oneTurn(place, talk.client)
    await serverIn(talk, 'ready')
    expect(sandboxes.prepared).toMatchObject([
      { mode: 'workspace-write', writableRoots: [place.cwd], network: false, unixSockets: false, scratch: null },
    ])
    expect(sandboxes.prepared[0]?.masked).toContain(join(place.root, '.parley'))
  })

  it('can only read when its conversation can only read', async () => {
    await using place = projectPlace()
    const sandboxes = sandboxesOf('full')
    const talk = await place.talkTo(scriptedModel(), {}, { sandboxes })
    await trust(talk.client, place.cwd)
    await oneTurn(place, talk.client)
    await serverIn(talk, 'ready')
    expect(sandboxes.prepared).toMatchObject([{ mode: 'read-only' }])
  })

  it.each([
    ['full', { sandbox: 'read-only', network: false, reason: expect.stringContaining('runs inside the sandbox') }],
    ['none', { sandbox: 'none', reason: expect.stringContaining('not limited by the sandbox') }],
  ] as const)(
    'is asked about, where it is called, under the limits that it has in enforcement %s',
    async (enforcement, asked) => {
      await using place = projectPlace()
      const call = { calls: [{ name: 'mcp__theirs__echo', args: {} }] }
      const talk = await place.talkTo(scriptedModel(call), {}, { sandboxes: sandboxesOf(enforcement) })
      await trust(talk.client, place.cwd)
      const { conversationId } = await talk.client.request('conversation/create', { cwd: place.cwd })
      const watched = await talk.client.watch(conversationId)
      await watched.send('go')
      expect(await watched.approval()).toMatchObject({ kind: 'mcpTool', ...asked })
    },
  )

  it('is not started outside the sandbox when it was trusted inside', async () => {
    await using place = projectPlace()
    const before = await place.talkTo(scriptedModel(), {}, { sandboxes: sandboxesOf('full') })
    await trust(before.client, place.cwd)
    await before.server.close()
    const talk = await place.talkTo(scriptedModel(), {}, { sandboxes: noSandboxes('There is none.') })
    await talk.watched.send('hi')
    await talk.watched.turnEnded()
    expect(await serverIn(talk, 'failed')).toMatchObject({ error: expect.stringContaining('there is no sandbox now') })
    expect(existsSync(diaryIn(place))).toBe(false)
    expect(await talk.client.request('trust/read', { cwd: place.cwd })).toMatchObject({ state: 'changed' })
    await trust(talk.client, place.cwd)
    expect(await talk.client.request('trust/read', { cwd: place.cwd })).toMatchObject({ state: 'trusted' })
    await oneTurn(place, talk.client)
    expect(existsSync(diaryIn(place))).toBe(true)
  })

  it('is not started when its program has changed since the conversation was opened', async () => {
    await using place = projectPlace()
    const before = await place.talkTo(scriptedModel())
    await trust(before.client, place.cwd)
    const { conversationId } = await before.client.request('conversation/create', { cwd: place.cwd })
    place.write('mcp.mjs', `import ${JSON.stringify(script)}\n// evil\n`)
    const watched = await before.client.watch(conversationId)
    await watched.send('hi')
    await watched.turnEnded()
    expect(await serverIn(before, 'failed')).toMatchObject({
      error: expect.stringContaining('mcp.mjs has changed since it was trusted'),
    })
    expect(existsSync(diaryIn(place))).toBe(false)
  })
})

describe('PARLEY_HOME in the repository of the conversation', () => {
  it('is rejected, because its files would be the configuration', async () => {
    await using place = projectPlace()
    const server = place.start({ env: { PATH: process.env['PATH'], HOME: '/nowhere' } })
    mkdirSync(join(place.root, '.git'))
    place.write('../.git/HEAD', 'ref: refs/heads/main\n')
    const client = await server.connect()
    expect(await client.refused('conversation/create', { cwd: place.cwd })).toMatchObject({
      code: 'configInvalid',
      message: expect.stringMatching(/^PARLEY_HOME .* lies in the repository/),
    })
  })
})
