import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { takeHand } from '../../frontends/mcp/support/hand.ts'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** Makes the folders of secrets in the home of the place, and other ways to name them. */
function secretFolders(place: TestPlace) {
  const keys = join(place.root, '.ssh')
  const inner = join(keys, 'work')
  const link = join(place.root, 'notes')
  mkdirSync(inner, { recursive: true })
  symlinkSync(keys, link)
  return { keys, inner, link, viaLink: join(link, 'work'), parleyHome: join(place.root, '.parley') }
}

const names = ['keys', 'inner', 'link', 'viaLink', 'parleyHome'] as const
const refusal = {
  code: 'aboveCeiling',
  message: expect.stringMatching(/is a place where secrets are kept.* --allow-secret-folder \//),
  detail: { flag: '--allow-secret-folder' },
}
const allowing = (...secretFolders: string[]) => ({
  ceiling: { maxSandbox: null, allowNever: false, profile: null, secretFolders },
})

async function recordedIn(place: TestPlace, cwd: string): Promise<string> {
  const { server, watched } = await place.talk({ model: scriptedModel({ text: 'a' }), ...allowing(cwd) }, { cwd })
  await watched.send('hi')
  await watched.turnEnded()
  await server.close()
  return watched.conversationId
}

describe('a place of secrets', () => {
  it.each(names)('is no folder of a new conversation, nor an added one: %s', async (name) => {
    await using place = testPlace()
    const cwd = secretFolders(place)[name]
    const client = await place.start().connect()
    const named = { approvalPolicy: 'never' as const }
    expect(await client.refused('conversation/create', { ...named, cwd })).toMatchObject(refusal)
    const added = { cwd: place.cwd, addDirs: [cwd] }
    expect(await client.refused('conversation/create', added)).toMatchObject(refusal)
    const config = { sandbox_workspace_write: { writable_roots: [cwd] } }
    expect(await client.refused('conversation/create', { cwd: place.cwd, config })).toMatchObject(refusal)
  })

  it.each(['/proc', '/sys', '/dev'])('is not a folder of the kernel either: %s', async (cwd) => {
    await using place = testPlace()
    const client = await place.start().connect()
    const kernel = {
      ...refusal,
      message: expect.stringMatching(/is a folder of the kernel.* --allow-secret-folder \//),
    }
    expect(await client.refused('conversation/create', { cwd })).toMatchObject(kernel)
    expect(await client.refused('conversation/create', { cwd: place.cwd, addDirs: [cwd] })).toMatchObject(kernel)
  })

  it.each(names)('is not where a conversation moves, nor added to it: %s', async (name) => {
    await using place = testPlace()
    const cwd = secretFolders(place)[name]
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'a' }) })
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    for (const overrides of [{ cwd }, { addDirs: [cwd] }])
      expect(await client.refused('conversation/resume', { conversationId, overrides })).toMatchObject(refusal)
    expect(watched.state.core.meta.cwd).toBe(place.cwd)
  })

  it('is not resumed or forked in by a server that was not started for it', async () => {
    await using place = testPlace()
    const { keys } = secretFolders(place)
    const conversationId = await recordedIn(place, keys)
    const client = await place.start().connect()
    expect(await client.refused('conversation/resume', { conversationId })).toMatchObject(refusal)
    expect(await client.refused('conversation/fork', { conversationId })).toMatchObject(refusal)
    const moved = await client.request('conversation/resume', { conversationId, overrides: { cwd: place.cwd } })
    expect(moved.cwd).toBe(place.cwd)
  })

  it('is one that the user named when the server was started, and no other', async () => {
    await using place = testPlace()
    const { keys, inner, link, parleyHome } = secretFolders(place)
    const client = await place.start(allowing(link)).connect()
    for (const cwd of [keys, inner, link]) expect((await client.request('conversation/create', { cwd })).cwd).toBe(cwd)
    expect(await client.refused('conversation/create', { cwd: parleyHome })).toMatchObject(refusal)
  })

  it("is open where the user's own configuration names it as writable", async () => {
    await using place = testPlace()
    const { keys } = secretFolders(place)
    const section = `[sandbox_workspace_write]\nwritable_roots = ["${keys}"]\n`
    writeFileSync(join(place.root, '.parley', 'config.toml'), section, { flag: 'a' })
    const client = await place.start().connect()
    const { settings } = await client.request('conversation/create', { cwd: place.cwd })
    expect(settings.writableRoots).toEqual([keys])
  })

  it('is also a folder that holds nothing else', async () => {
    await using place = testPlace()
    const other = join(place.root, 'other')
    mkdirSync(join(place.root, '.config', 'gh'), { recursive: true })
    mkdirSync(other)
    const client = await place.start().connect()
    expect(await client.refused('conversation/create', { cwd: join(place.root, '.config') })).toMatchObject(refusal)
    expect((await client.request('conversation/create', { cwd: other })).cwd).toBe(other)
    writeFileSync(join(place.root, '.config', 'notes'), '')
    const cwd = join(place.root, '.config')
    expect((await client.request('conversation/create', { cwd })).cwd).toBe(cwd)
  })
})

describe('an MCP caller', () => {
  it.each(names)('is refused a place of secrets as its folder: %s', async (name) => {
    await using place = testPlace()
    const cwd = secretFolders(place)[name]
    await using hand = await takeHand(place.start({ model: scriptedModel({ text: 'a' }, { text: 'b' }) }))
    const isRefused = { isError: true, content: [{ text: expect.stringContaining('--allow-secret-folder') }] }
    const asked = { prompt: 'read it', cwd, 'approval-policy': 'never', sandbox: 'read-only' }
    expect(await hand.call('codex', asked).answer).toMatchObject(isRefused)
    expect(await hand.call('conversationCreate', { cwd, prompt: 'x' }).answer).toMatchObject(isRefused)
    const { structuredContent } = await hand.call('codex', { prompt: 'hi', cwd: place.cwd }).answer
    const content = [{ type: 'text', text: 'x' }]
    const sent = { conversation_id: structuredContent.threadId, content, cwd }
    expect((await hand.call('conversationSendMessage', sent).answer).structuredContent).toMatchObject({
      status: 'error',
      message: expect.stringContaining('--allow-secret-folder'),
    })
  })

  it('does not reach a conversation that another process was allowed to open in one', async () => {
    await using place = testPlace()
    const { keys } = secretFolders(place)
    const model = scriptedModel({ text: 'a' })
    const { server, watched } = await place.talk({ model, ...allowing(keys) }, { cwd: keys })
    await watched.send('hi')
    await watched.turnEnded()
    const ceiling = {
      sandbox: 'workspace-write',
      neverWithFullAccess: false,
      network: false,
      unixSockets: false,
    } as const
    await using hand = await takeHand(server, { ceiling })
    const reply = await hand.call('codex-reply', { prompt: 'x', threadId: watched.conversationId }).answer
    expect(reply).toMatchObject({
      isError: true,
      structuredContent: { content: expect.stringContaining('--allow-secret-folder') },
    })
    expect(model.requests).toHaveLength(1)
  })
})
