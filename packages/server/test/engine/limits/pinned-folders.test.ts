import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const shell = (command: string, more: object = {}) => ({ name: 'shell', args: { command, ...more } })
const patch = (path: string) => ({
  name: 'apply_patch',
  args: { patch: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` },
})
const escalated = { escalate: true, reason: 'to see' }

/** Puts another folder in place of the folder of the conversation, as another conversation around it could. */
function exchange({ root, cwd }: TestPlace): void {
  renameSync(cwd, join(root, 'moved'))
  mkdirSync(cwd)
}

/** Resolves to the question after this one. */
function next({ until }: Watched, id: string) {
  return until(({ core }) => Object.values(core.approvals).find((each) => each.id !== id))
}

describe('the folder of a conversation', () => {
  it('that was exchanged has no command run in it', async () => {
    await using place = testPlace()
    const { sandboxes, prepared } = fakeSandboxes()
    const model = scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes })
    exchange(place)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({
      status: 'failed',
      modelText: expect.stringMatching(/^Not run: .*is not the folder that it was/),
    })
    expect(prepared).toEqual([])
    expect(readdirSync(place.cwd)).toEqual([])
  })

  it('that leads elsewhere now is no folder that a patch may write to unasked', async () => {
    await using place = testPlace()
    mkdirSync(join(place.root, 'others'))
    const model = scriptedModel({ calls: [patch('new.txt')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, ...fakeSandboxes() })
    renameSync(place.cwd, join(place.root, 'moved'))
    symlinkSync(join(place.root, 'others'), place.cwd)
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ rule: { name: 'builtin:patch-outside-roots' } })
    await watched.decide('denied')
    await watched.turnEnded()
    expect(readdirSync(join(place.root, 'others'))).toEqual([])
  })

  it('is worked in again by a conversation that is opened in the new one', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell('touch made')] }, { text: 'ok' })
    const { client } = await place.talk({ model, ...fakeSandboxes() })
    exchange(place)
    const { conversationId } = await client.request('conversation/create', { cwd: place.cwd })
    const watched = await client.watch(conversationId)
    await watched.send('go')
    await watched.turnEnded()
    expect(existsSync(join(place.cwd, 'made'))).toBe(true)
  })
})

describe('the working directory of a command', () => {
  it('is shown by its real path, and asked about again when it leads elsewhere at the yes', async () => {
    await using place = testPlace()
    for (const name of ['one', 'two']) mkdirSync(join(place.cwd, name))
    symlinkSync('one', join(place.cwd, 'build'))
    const model = scriptedModel({ calls: [shell('touch made', { workdir: 'build', ...escalated })] }, { text: 'ok' })
    const { watched } = await place.talk({ model, ...fakeSandboxes() })
    await watched.send('go')
    const first = await watched.approval()
    expect(first.cwd).toBe(join(realpathSync(place.cwd), 'one'))
    unlinkSync(join(place.cwd, 'build'))
    symlinkSync('two', join(place.cwd, 'build'))
    await watched.decide('approved')
    const again = await next(watched, first.id)
    expect(again).toMatchObject({ cwd: join(place.cwd, 'two') })
    await watched.decide('denied')
    await watched.turnEnded()
    expect(['one', 'two'].flatMap((name) => readdirSync(join(place.cwd, name)))).toEqual([])
  })

  it('is asked about again when another folder has its name at the yes', async () => {
    await using place = testPlace()
    mkdirSync(join(place.cwd, 'build'))
    const model = scriptedModel({ calls: [shell('touch made', { workdir: 'build', ...escalated })] }, { text: 'ok' })
    const { watched } = await place.talk({ model, ...fakeSandboxes() })
    await watched.send('go')
    const first = await watched.approval()
    rmSync(join(place.cwd, 'build'), { recursive: true })
    mkdirSync(join(place.cwd, 'build'))
    await watched.decide('approved')
    const again = await next(watched, first.id)
    expect(again.contentHash).not.toBe(first.contentHash)
    await watched.decide('denied')
    await watched.turnEnded()
    expect(readdirSync(join(place.cwd, 'build'))).toEqual([])
  })
})
