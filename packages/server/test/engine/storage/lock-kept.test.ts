import { linkSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { startLockHolder } from '@parley/journal/testing'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { type Talk, type TestPlace, testPlace } from '../support/test-server.ts'

/** Ways in which another name leads to a lock. */
const names = {
  'by its own path': (lock: string) => lock,
  'by a link': (lock: string, other: string) => {
    symlinkSync(lock, other)
    return other
  },
  'by a second name': (lock: string, other: string) => {
    linkSync(lock, other)
    return other
  },
}

async function expectHeld(place: TestPlace, { summary }: Talk): Promise<void> {
  await using holder = startLockHolder(join(place.root, '.parley'), summary.conversationId)
  expect(await holder.ask('acquire')).toBe(`refused ${process.pid}`)
}

describe('the lock of an open conversation stays held', { timeout: 30_000 }, () => {
  it.each(Object.entries(names))('when a client names it as an image %s', async (_, nameFor) => {
    await using place = testPlace()
    const talk = await place.talk()
    const { conversationId } = talk.summary
    const path = nameFor(place.path(conversationId, 'lock'), join(place.cwd, 'image.png'))
    const refused = await talk.client.refused('conversation/sendMessage', {
      conversationId,
      input: [{ type: 'image', path }],
    })
    expect(refused.message).toContain('the lock of an open conversation')
    await expectHeld(place, talk)
  })

  it.each(Object.entries(names))('when the model reads it %s', async (_, nameFor) => {
    await using place = testPlace()
    let path = ''
    const model = scriptedModel(() => ({ calls: [{ name: 'read_file', args: { path } }] }), { text: 'ok' })
    const talk = await place.talk({ model }, { sandbox: 'danger-full-access' })
    path = nameFor(place.path(talk.summary.conversationId, 'lock'), join(place.cwd, 'a.txt'))
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    const [read] = talk.watched.items().filter(({ type }) => type === 'toolCall')
    expect(JSON.stringify(read)).toContain('the lock of an open conversation')
    await expectHeld(place, talk)
  })

  it('when a patch changes a second name of the lock', async () => {
    await using place = testPlace()
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch'
    const model = scriptedModel({ calls: [{ name: 'apply_patch', args: { patch } }] }, { text: 'ok' })
    const talk = await place.talk({ model }, { sandbox: 'danger-full-access' })
    linkSync(place.path(talk.summary.conversationId, 'lock'), join(place.cwd, 'a.txt'))
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    await expectHeld(place, talk)
  })

  it('when files read at a start are names of it', async () => {
    await using place = testPlace()
    const talk = await place.talk()
    const lock = place.path(talk.summary.conversationId, 'lock')
    for (const folder of ['.git', '.parley']) mkdirSync(join(place.cwd, folder))
    for (const name of ['AGENTS.md', '.gitignore', '.git/HEAD', '.git/config', '.git/commondir', '.parley/config.toml'])
      linkSync(lock, join(place.cwd, name))
    for (const name of ['.parley/policy.toml']) symlinkSync(lock, join(place.cwd, name))
    linkSync(lock, join(place.root, '.parley', 'policy.toml'))
    await talk.client.request('conversation/create', { cwd: place.cwd }).catch(() => undefined)
    await expectHeld(place, talk)
  })
})
