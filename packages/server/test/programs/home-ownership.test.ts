import { chmodSync, chownSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { nodeFiles } from '@parley/journal'
import { createProjects } from '@parley/policy'
import { createRedaction } from '@parley/redaction'
import { makeHomePrivate } from '@parley/serving/src/home-folder.ts'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../engine/support/test-server.ts'

const stranger = 4242

describe.runIf(process.getuid?.() === 0)('a file of another user', () => {
  it.each(['config.toml', 'policy.toml', 'sessions', 'trust', 'redaction.key', 'credentials.json'])(
    'keeps a home from use as %s',
    async (name) => {
      await using folder = await tempDirectory()
      const path = join(folder.path, name)
      if (name.includes('.')) writeFileSync(path, '', { mode: 0o600 })
      else mkdirSync(path)
      makeHomePrivate(folder.path)
      chownSync(path, stranger, stranger)
      expect(() => makeHomePrivate(folder.path)).toThrow(`${path} belongs to user ${stranger}`)
    },
  )

  it.each([0o700, 0o777])('is no home for root, of mode %o', async (mode) => {
    await using folder = await tempDirectory()
    chmodSync(folder.path, mode)
    chownSync(folder.path, stranger, stranger)
    expect(() => makeHomePrivate(folder.path)).toThrow(`belongs to user ${stranger}, and this is user 0. Whoever owns`)
    expect(statSync(folder.path)).toMatchObject({ uid: stranger, mode: 0o40000 | mode })
    chownSync(folder.path, 0, 0)
    expect(() => makeHomePrivate(folder.path)).not.toThrow()
  })

  it('is not looked for behind a link to itself, which its reader refuses', async () => {
    await using folder = await tempDirectory()
    symlinkSync('credentials.json', join(folder.path, 'credentials.json'))
    expect(() => makeHomePrivate(folder.path)).not.toThrow()
  })

  it('is no log that is resumed', async () => {
    await using place = testPlace()
    const { server, watched } = await place.talk({ model: scriptedModel({ text: 'a' }) })
    await watched.send('hi')
    await watched.turnEnded()
    await server.close()
    const { conversationId } = watched
    chownSync(place.path(conversationId), stranger, stranger)
    const client = await place.start().connect()
    const { message } = await client.refused('conversation/resume', { conversationId })
    expect(message).toContain('belongs to another user')
    chownSync(dirname(place.path(conversationId)), stranger, stranger)
    await client.request('conversation/resume', { conversationId })
  })

  it.each(['.parley', '.parley/config.toml'])('is no configuration of a project (%s)', async (name) => {
    await using folder = await tempDirectory()
    const home = join(folder.path, 'home')
    mkdirSync(join(folder.path, 'work/.parley'), { recursive: true })
    mkdirSync(join(folder.path, 'work/.git'))
    writeFileSync(join(folder.path, 'work/.parley/config.toml'), 'model = "m"\n')
    const read = () => createProjects({ home, env: {}, files: nodeFiles }).of(join(folder.path, 'work'))
    expect(read()?.files).toHaveLength(1)
    lchownSync(join(folder.path, 'work', name), stranger, stranger)
    expect(read()).toMatchObject({
      files: [],
      problems: [expect.stringContaining(`${name} is not read: it belongs to user ${stranger}`)],
    })
  })

  it('is no key of marks and seals', async () => {
    await using folder = await tempDirectory()
    const seal = () => createRedaction({ home: folder.path, env: {} }).seal('a')
    const before = seal()
    expect(seal()).toBe(before)
    chownSync(join(folder.path, 'redaction.key'), stranger, stranger)
    expect(seal()).not.toBe(before)
  })
})
