import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

describe('a look-up of a whole folder', () => {
  it.each([
    ['search', { pattern: 'BEGIN', path: '..', globs: ['id_*'] }],
    ['list_dir', { path: '..' }],
  ])('asks when secrets lie below it: %s', async (name, args) => {
    await using place = testPlace()
    mkdirSync(join(place.root, '.ssh'))
    writeFileSync(join(place.root, '.ssh', 'id_rsa'), 'BEGIN KEY')
    const { watched } = await place.talk({ model: scriptedModel({ calls: [{ name, args }] }, { text: 'ok' }) })
    await watched.send('go')
    expect((await watched.approval()).rule).toMatchObject({ name: 'builtin:read-secret' })
  })

  it('runs without a question in the workspace', async () => {
    await using place = testPlace()
    place.write('a.txt', 'BEGIN')
    const call = { name: 'search', args: { pattern: 'BEGIN' } }
    const { watched } = await place.talk({ model: scriptedModel({ calls: [call] }, { text: 'ok' }) })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()).toContainEqual(expect.objectContaining({ status: 'completed', text: 'a.txt\n1:BEGIN' }))
  })
})

it('a rule about paths applies to commands with a folder of their own', async () => {
  await using place = testPlace()
  mkdirSync(join(place.cwd, 'deploy'))
  place.write('deploy/f.txt', 'hush')
  const policy = '[[rule]]\ndecision = "deny"\npath = "deploy/**"\n'
  writeFileSync(join(place.root, '.parley', 'policy.toml'), policy)
  const calls = [
    { name: 'shell', args: { command: 'cat deploy/f.txt' } },
    { name: 'shell', args: { command: 'cat f.txt', workdir: 'deploy' } },
  ]
  const { watched } = await place.talk({ model: scriptedModel({ calls }, { text: 'ok' }) })
  await watched.send('go')
  await watched.turnEnded()
  const commands = watched.items().filter(({ type }) => type === 'commandExecution')
  expect(commands.map(({ status }) => status)).toEqual(['denied', 'denied'])
})
