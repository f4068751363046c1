import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** The home as seen by the tests, with its settings moved to `real` and a link through `passed` in their place. */
function settingsBehind({ root }: TestPlace, { real, passed }: { real: string; passed?: string }): void {
  const config = join(root, '.parley/config.toml')
  renameSync(config, real)
  if (passed !== undefined) symlinkSync(real, passed)
  symlinkSync(passed ?? real, config)
}

describe('a conversation in a folder with own files of parley is rejected', () => {
  it('when the settings file is a link into the folder', async () => {
    await using place = testPlace()
    settingsBehind(place, { real: join(place.cwd, 'mine.toml') })
    const client = await place.start().connect()
    const { code, message } = await client.refused('conversation/create', { cwd: place.cwd })
    expect(code).toBe('configInvalid')
    expect(message).toContain(
      `config.toml leads to ${place.cwd}/mine.toml, which lies in ${place.cwd}, the folder that this conversation works in: a command or patch that may write there could`,
    )
  })

  it('when the path to the settings passes a link in the folder', async () => {
    await using place = testPlace()
    settingsBehind(place, { real: join(place.root, 'mine.toml'), passed: join(place.cwd, 'link') })
    const client = await place.start().connect()
    const { message } = await client.refused('conversation/create', { cwd: place.cwd })
    expect(message).toContain(`config.toml leads through the link ${place.cwd}/link, which lies in ${place.cwd}`)
  })

  it('when the home of parley is such a link', async () => {
    await using place = testPlace()
    await using elsewhere = testPlace()
    renameSync(join(place.root, '.parley'), join(elsewhere.root, 'real'))
    symlinkSync(join(elsewhere.root, 'real'), join(place.cwd, 'link'))
    symlinkSync(join(place.cwd, 'link'), join(place.root, '.parley'))
    const client = await place.start().connect()
    const { message } = await client.refused('conversation/create', { cwd: place.cwd })
    expect(message).toContain(`.parley leads through the link ${place.cwd}/link`)
    const within = await client.refused('conversation/create', { cwd: place.root })
    expect(within.message).toContain(`${place.root}/.parley is a link, which lies in ${place.root}`)
  })

  it('and the checkup and policy/test report the same problem', async () => {
    await using place = testPlace()
    settingsBehind(place, { real: join(place.cwd, 'mine.toml') })
    const client = await place.start().connect()
    const { message } = await client.refused('conversation/create', { cwd: place.cwd })
    expect((await client.refused('policy/test', { cwd: place.cwd, command: 'ls' })).message).toBe(message)
    const { checks } = await client.request('server/checkup', { cwd: place.cwd, provider: false })
    expect(checks).toContainEqual(expect.objectContaining({ name: 'configuration', level: 'problem', text: message }))
  })

  it('when the folder is an added one, with advice to leave it out', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, 'other'))
    settingsBehind(place, { real: join(place.root, 'other/mine.toml') })
    const client = await place.start().connect()
    const params = { cwd: place.cwd, addDirs: [join(place.root, 'other')], sandbox: 'read-only' as const }
    const { message } = await client.refused('conversation/create', params)
    expect(message).toContain(`or leave out the added folder ${place.root}/other.`)
  })

  it('except when the folder contains the home of parley without a link', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, 'other'))
    const client = await place.start().connect()
    expect((await client.request('conversation/create', { cwd: place.root })).cwd).toBe(place.root)
    settingsBehind(place, { real: join(place.root, 'other/mine.toml') })
    expect((await client.request('conversation/create', { cwd: place.cwd })).cwd).toBe(place.cwd)
  })
})
