import { linkSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { startLockHolder } from '@parley/journal/testing'
import { describe, expect, it } from 'vitest'
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
  expect(await holder.ask('kernelLock')).toBe('held')
  expect(await holder.ask('acquire')).toBe(`refused ${process.pid}`)
}

/** Returns all paths of files below a folder, and of what this process has open there. */
function everyPath(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const open = readdirSync('/proc/self/fd').map((fd) => `/proc/self/fd/${fd}`)
  return [...paths, ...open.filter((fd) => linkTarget(fd).startsWith(folder))]
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

describe('the lock of an open conversation stays held', { timeout: 60_000 }, () => {
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

  it('when every tool opens everything below the sessions', { timeout: 60_000 }, async () => {
    await using place = testPlace()
    const sessions = join(place.root, '.parley', 'sessions')
    const tools = (path: string, n: number) => [
      { name: 'read_file', args: { path } },
      { name: 'view_image', args: { path } },
      { name: 'search', args: { pattern: '.', path, include_ignored: true } },
      { name: 'list_dir', args: { path } },
      { name: 'edit_file', args: { path, old_text: 'x', new_text: 'y' } },
      {
        name: 'apply_patch',
        args: { patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-x${n}\n+y\n*** End Patch` },
      },
    ]
    const model = scriptedModel(
      () => ({
        calls: [
          { name: 'list_dir', args: { path: sessions, depth: 9 } },
          { name: 'search', args: { pattern: 'x', path: sessions, include_ignored: true } },
          { name: 'search', args: { globs: ['**'], path: sessions, include_ignored: true } },
          ...everyPath(sessions).flatMap(tools),
        ],
      }),
      { text: 'ok' },
    )
    const talk = await place.talk({ model }, { sandbox: 'danger-full-access', approvalPolicy: 'never' })
    await talk.watched.send('go')
    await talk.watched.turnEnded()
    const { conversationId } = talk.summary
    for (const path of everyPath(sessions))
      await talk.client
        .request('conversation/sendMessage', { conversationId, input: [{ type: 'image', path }] })
        .catch(() => undefined)
    expect(talk.watched.items().filter(({ title }) => title.includes('.lock')).length).toBeGreaterThan(3)
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
