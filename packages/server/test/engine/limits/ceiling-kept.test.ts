import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { fullAccess, type TestPlace, testPlace } from '../support/test-server.ts'

const danger = 'danger-full-access'
const full = { sandbox: danger, approvalPolicy: 'never' } as const

function configure({ root }: TestPlace, text: string): void {
  const file = join(root, '.parley', 'config.toml')
  writeFileSync(file, `${text}\n${readFileSync(file, 'utf8')}`)
}

/** A conversation with full access, in a server that was started for it and has gone. */
async function recorded(place: TestPlace): Promise<string> {
  const { server, watched } = await place.talk({ model: scriptedModel({ text: 'a' }) }, full)
  await watched.send('hi')
  await watched.turnEnded()
  await server.close()
  return watched.conversationId
}

describe('a server with the default ceiling', () => {
  it.each([
    [full, '--max-sandbox'],
    [{ sandbox: danger }, '--max-sandbox'],
    [{ config: { sandbox_mode: danger } }, '--max-sandbox'],
    [{ config: { profile: 'open' } }, '--max-sandbox'],
    [{ profile: 'open' }, '--max-sandbox'],
  ] as const)('creates no conversation with %j', async (params, flag) => {
    await using place = testPlace()
    appendFileSync(join(place.root, '.parley', 'config.toml'), `[profiles.open]\nsandbox_mode = "${danger}"\n`)
    const client = await place.start().connect()
    expect(await client.refused('conversation/create', { cwd: place.cwd, ...params })).toMatchObject({
      number: -32007,
      code: 'aboveCeiling',
      message: expect.stringContaining(flag),
      detail: { flag },
    })
  })

  it('rejects a change above the ceiling in every method', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'a' }) })
    const { conversationId } = watched
    await watched.send('hi')
    await watched.turnEnded()
    const { seq } = watched.state.core
    const more = { sandbox: danger } as const
    for (const refused of [
      await client.refused('conversation/configure', { conversationId, settings: more }),
      await client.refused('conversation/resume', { conversationId, overrides: more }),
      await client.refused('conversation/resume', { conversationId, overrides: { config: { sandbox_mode: danger } } }),
      await client.refused('conversation/sendMessage', {
        conversationId,
        input: [{ type: 'text', text: 'hi' }],
        overrides: more,
      }),
    ])
      expect(refused).toMatchObject({ code: 'aboveCeiling', detail: { flag: '--max-sandbox' } })
    expect(watched.state.core).toMatchObject({ seq, settings: { sandbox: 'workspace-write' } })
    await client.request('conversation/configure', { conversationId, settings: { approvalPolicy: 'never' } })
    await client.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
  })

  it('lowers full access that only a log names', async () => {
    await using place = testPlace()
    const conversationId = await recorded(place)
    const client = await place.start().connect()
    const summary = await client.request('conversation/resume', { conversationId })
    expect(summary.settings).toMatchObject({ sandbox: 'workspace-write', enforcement: 'none' })
    const watched = await client.watch(conversationId)
    expect(watched.items().at(-1)).toMatchObject({
      type: 'notice',
      code: 'limitsLowered',
      title: expect.stringContaining(`This conversation was recorded with ${danger}`),
    })
    const again = await client.request('conversation/resume', { conversationId })
    expect(again.settings.sandbox).toBe('workspace-write')
    expect((await client.watch(conversationId)).items()).toHaveLength(watched.items().length)
  })

  it('does not open a folder of secrets that a log names as writable', async () => {
    await using place = testPlace()
    const keys = join(place.root, '.parley', 'keys')
    mkdirSync(keys)
    const { server, watched } = await place.talk(
      {
        model: scriptedModel({ text: 'a' }),
        ceiling: { maxSandbox: null, allowNever: false, profile: null, secretFolders: [keys] },
      },
      { addDirs: [keys, place.root] },
    )
    await watched.send('hi')
    await watched.turnEnded()
    await server.close()
    const { conversationId } = watched
    const next = place.start()
    const client = await next.connect()
    const { settings } = await client.request('conversation/resume', { conversationId })
    expect(settings.writableRoots).toEqual([place.root])
    expect((await client.watch(conversationId)).items().at(-1)).toMatchObject({
      code: 'limitsLowered',
      title: expect.stringContaining(
        `--add-dir ${keys} --allow-secret-folder ${keys} on the command line gives it back`,
      ),
    })
    const overrides = { addDirs: [keys] }
    expect(await client.refused('conversation/resume', { conversationId, overrides })).toMatchObject({
      code: 'aboveCeiling',
    })
    await next.close()
    const ceiling = { maxSandbox: null, allowNever: false, profile: null, secretFolders: [keys] }
    const allowed = await place.start({ ceiling }).connect()
    const again = await allowed.request('conversation/resume', { conversationId, overrides })
    expect(again.settings.writableRoots).toEqual([place.root, keys])
  })

  it('forks a conversation with full access into one below the ceiling', async () => {
    await using place = testPlace()
    const conversationId = await recorded(place)
    const client = await place.start().connect()
    const fork = await client.request('conversation/fork', { conversationId })
    expect(fork.settings).toMatchObject({ sandbox: 'workspace-write' })
  })
})

describe('a server whose user configured full access', () => {
  it('allows full access, and allows the policy never only when the file sets it', async () => {
    await using place = testPlace()
    configure(place, `sandbox_mode = "${danger}"`)
    const client = await place.start().connect()
    const { settings } = await client.request('conversation/create', { cwd: place.cwd })
    expect(settings.sandbox).toBe(danger)
    const unasked = { cwd: place.cwd, approvalPolicy: 'never' } as const
    expect(await client.refused('conversation/create', unasked)).toMatchObject({ detail: { flag: '--allow-never' } })
    configure(place, 'approval_policy = "never"')
    expect((await client.request('conversation/create', unasked)).settings).toMatchObject(full)
  })

  it('applies the profile it was started with', async () => {
    await using place = testPlace()
    appendFileSync(join(place.root, '.parley', 'config.toml'), `[profiles.open]\nsandbox_mode = "${danger}"\n`)
    const client = await place.start({ ceiling: { maxSandbox: null, allowNever: false, profile: 'open' } }).connect()
    const { settings } = await client.request('conversation/create', { cwd: place.cwd, profile: 'open' })
    expect(settings.sandbox).toBe(danger)
  })

  it('lowers the settings of the file to its own flag and warns', async () => {
    await using place = testPlace()
    configure(place, `sandbox_mode = "${danger}"`)
    const client = await place.start({ ceiling: { ...fullAccess, maxSandbox: 'read-only' } }).connect()
    const { settings, warnings } = await client.request('conversation/create', { cwd: place.cwd })
    expect(settings.sandbox).toBe('read-only')
    expect(warnings).toEqual([expect.stringMatching(/^The configuration says danger-full-access, .* read-only is in/)])
  })
})
