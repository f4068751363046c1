import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import { diskPatchFiles } from '@parley/workspace'
import { describe, expect, it } from 'vitest'
import { namesIn, type TestPlace, testPlace } from '../support/test-server.ts'

const touch = { name: 'shell', args: { command: 'touch made' } }

function patchOf(path: string, ...lines: string[]) {
  const patch = ['*** Begin Patch', `*** Update File: ${path}`, '@@', ...lines, '*** End Patch'].join('\n')
  return { name: 'apply_patch', args: { patch } }
}

function otherFolder(place: TestPlace): string {
  const other = join(place.root, 'other')
  mkdirSync(other)
  return other
}

/** The question that comes after this one was answered. */
function nextApproval(watched: Watched, earlierId: string) {
  return watched.until(({ core }) =>
    Object.values(core.approvals).find(({ id, state }) => state === 'pending' && id !== earlierId),
  )
}

describe('an approved command', () => {
  it('is asked about again in another folder', async () => {
    await using place = testPlace()
    const other = otherFolder(place)
    const { client, watched } = await place.talk({ model: scriptedModel({ calls: [touch] }, { text: 'ok' }) })
    const { conversationId } = watched
    await watched.send('go')
    const { id } = await watched.approval()
    await client.request('conversation/resume', { conversationId, overrides: { cwd: other } })
    await watched.decide('approved')
    const again = await nextApproval(watched, id)
    expect(again).toMatchObject({ cwd: other, reason: expect.stringContaining('has changed since the yes') })
    expect([...namesIn(place.cwd), ...namesIn(other)]).toEqual([])
    await client.request('approval/decide', { conversationId, approvalId: again.id, decision: 'approved' })
    await watched.turnEnded()
    expect(namesIn(place.cwd)).toEqual([])
    expect(namesIn(other)).toEqual(['made'])
    expect(watched.items()).toContainEqual(expect.objectContaining({ type: 'commandExecution', cwd: other }))
  })

  it('is asked about again after a restart in another folder', async () => {
    await using place = testPlace()
    const other = otherFolder(place)
    const { server, watched: before } = await place.talk({ model: scriptedModel({ calls: [touch] }) })
    const { conversationId } = before
    await before.send('go')
    const { id } = await before.approval()
    await server.close()
    const client = await place.start({ model: scriptedModel({ text: 'ok' }) }).connect()
    await client.request('conversation/resume', { conversationId, overrides: { cwd: other } })
    const watched = await client.watch(conversationId)
    await watched.decide('approved')
    expect(await nextApproval(watched, id)).toMatchObject({ cwd: other })
    expect([...namesIn(place.cwd), ...namesIn(other)]).toEqual([])
  })

  it('is asked about again in the background after an approval for the session', async () => {
    await using place = testPlace()
    const inBackground = { name: 'shell', args: { command: 'touch made', background: true } }
    const model = scriptedModel({ calls: [touch] }, { calls: [inBackground] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    const { id } = await watched.approval()
    await watched.decide('approvedForSession')
    expect(await nextApproval(watched, id)).toMatchObject({ title: expect.stringContaining('in the background') })
  })
})

describe('an approved patch', () => {
  it('is asked about again when its path leads to another file', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    place.write('b.txt', 'alpha\n')
    const model = scriptedModel({ calls: [patchOf('a.txt', '-alpha', '+beta')] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    const { id } = await watched.approval()
    renameSync(join(place.cwd, 'a.txt'), join(place.cwd, 'old.txt'))
    symlinkSync('b.txt', join(place.cwd, 'a.txt'))
    await watched.decide('approved')
    await nextApproval(watched, id)
    expect(place.read('b.txt')).toBe('alpha\n')
  })

  it('is asked about again when its file has changed', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const model = scriptedModel({ calls: [patchOf('a.txt', '-alpha', '+beta')] }, { text: 'ok' })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    await watched.send('go')
    const { id } = await watched.approval()
    place.write('a.txt', 'mine\nalpha\n')
    await watched.decide('approved')
    const again = await nextApproval(watched, id)
    expect(again.detail).toContain(' mine\n-alpha\n+beta')
    expect(place.read('a.txt')).toBe('mine\nalpha\n')
    await client.request('approval/decide', { conversationId, approvalId: again.id, decision: 'approved' })
    await watched.turnEnded()
    expect(place.read('a.txt')).toBe('mine\nbeta\n')
  })

  it.each(['full', 'none'] as const)(
    'is judged again when the limits get narrower than the yes, with enforcement %s',
    async (enforcement) => {
      await using place = testPlace()
      place.write('a.txt', 'alpha\n')
      const { client, watched } = await place.talk(
        {
          model: scriptedModel({ calls: [patchOf('a.txt', '-alpha', '+beta')] }, { text: 'ok' }),
          sandboxes: fakeSandboxes(enforcement).sandboxes,
        },
        { approvalPolicy: 'untrusted' },
      )
      const { conversationId } = watched
      await watched.send('go')
      const { id } = await watched.approval()
      await client.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
      await watched.decide('approved')
      expect(await nextApproval(watched, id)).toMatchObject({ rule: { name: 'builtin:patch-read-only' } })
      expect(place.read('a.txt')).toBe('alpha\n')
    },
  )

  it('is denied when the limits get narrower than the yes and nothing may ask any more', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const model = scriptedModel({ calls: [patchOf('a.txt', '-alpha', '+beta')] }, { text: 'ok' })
    const { client, watched } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    const { conversationId } = watched
    await watched.send('go')
    await watched.approval()
    const settings = { sandbox: 'read-only', approvalPolicy: 'never' } as const
    await client.request('conversation/configure', { conversationId, settings })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'denied' })
    expect(place.read('a.txt')).toBe('alpha\n')
  })

  it.each(['full', 'none'] as const)(
    'for the session covers no patch once the limits are narrower, with enforcement %s',
    async (enforcement) => {
      await using place = testPlace()
      place.write('a.txt', 'alpha\n')
      const model = scriptedModel(
        { calls: [patchOf('a.txt', '-alpha', '+beta')] },
        { text: 'ok' },
        { calls: [patchOf('a.txt', '-beta', '+gamma')] },
        { text: 'ok' },
      )
      const { sandboxes } = fakeSandboxes(enforcement)
      const { client, watched } = await place.talk({ model, sandboxes }, { approvalPolicy: 'untrusted' })
      const { conversationId } = watched
      await watched.send('go')
      const { id } = await watched.approval()
      await watched.decide('approvedForSession')
      await watched.turnEnded()
      await client.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
      await watched.send('again')
      expect(await nextApproval(watched, id)).toMatchObject({ rule: { name: 'builtin:patch-read-only' } })
      expect(place.read('a.txt')).toBe('beta\n')
    },
  )
})

describe('a patch to a file of secrets', () => {
  const nearMiss = patchOf('../.ssh/id_rsa', ' the key is', '-wrong', '+x')

  function withKey(place: TestPlace): void {
    mkdirSync(join(place.root, '.ssh'))
    place.write('../.ssh/id_rsa', 'the key is\nhunter2\n')
  }

  it('does not show the content to the model when it does not apply', async () => {
    await using place = testPlace()
    withKey(place)
    const misnamed = patchOf('../.ssh/id_rs', '-x', '+y')
    const model = scriptedModel({ calls: [nearMiss, misnamed] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    const [missed, absent] = model.requests[1]?.entries.slice(-2) ?? []
    expect(missed).toMatchObject({ text: expect.stringContaining('Failed to find the expected lines') })
    expect(JSON.stringify(missed)).not.toContain('hunter2')
    expect(absent).toMatchObject({ text: expect.stringContaining('does not exist.\n') })
  })

  it('is not read when policy denies it', async () => {
    await using place = testPlace()
    withKey(place)
    const read: string[] = []
    const patchFiles: typeof diskPatchFiles = {
      ...diskPatchFiles,
      readFile(path) {
        read.push(path)
        return diskPatchFiles.readFile(path)
      },
    }
    const model = scriptedModel({ calls: [nearMiss] }, { text: 'ok' })
    const { watched } = await place.talk({ model, patchFiles }, { approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    expect(read).toEqual([])
    expect(watched.items()[1]).toMatchObject({ status: 'denied', facts: { kind: 'patch' } })
  })
})
