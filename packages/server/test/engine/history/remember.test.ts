import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const line = (text: string, where: 'project' | 'user' = 'project') => ({ text, where })

describe('a line to remember', () => {
  it('is shown as a diff, and written after a yes to exactly that', async () => {
    await using place = testPlace()
    place.write('AGENTS.md', '# Rules\n\nUse pnpm.\n')
    const { client, watched, summary } = await place.talk()
    const { conversationId } = summary
    const params = { conversationId, ...line('  run  the tests\nwith -j1 ') }
    const plan = await client.request('conversation/remember/plan', params)
    expect(plan).toMatchObject({ path: join(place.cwd, 'AGENTS.md'), changes: [{ additions: 2, deletions: 0 }] })
    expect(plan.changes[0]?.diff).toContain('+- run the tests with -j1')
    expect(place.read('AGENTS.md')).toBe('# Rules\n\nUse pnpm.\n')
    const done = await client.request('conversation/remember', { ...params, hash: plan.hash })
    expect(done.status).toBe('completed')
    expect(place.read('AGENTS.md')).toBe('# Rules\n\nUse pnpm.\n\n- run the tests with -j1\n')
    const second = { conversationId, ...line('* never push') }
    const { hash } = await client.request('conversation/remember/plan', second)
    await client.request('conversation/remember', { ...second, hash })
    expect(place.read('AGENTS.md')).toBe('# Rules\n\nUse pnpm.\n\n- run the tests with -j1\n- never push\n')
    const { items } = await client.request('conversation/read', { conversationId })
    expect(items.map(({ item }) => item)).toMatchObject([
      { type: 'fileChange', status: 'completed', tool: 'remember', remembered: {}, decision: { answer: 'approved' } },
      { type: 'fileChange', status: 'completed' },
    ])
    expect(watched.state.core.open).toEqual({})
  })

  it('is not added to a file in UTF-16, which it would spoil', async () => {
    await using place = testPlace()
    const rules = Buffer.from('\uFEFFRules', 'utf16le')
    writeFileSync(join(place.cwd, 'AGENTS.md'), rules)
    const { client, summary } = await place.talk()
    const { conversationId } = summary
    const planned = client.request('conversation/remember/plan', { conversationId, ...line('be brief') })
    await expect(planned).rejects.toThrow(/AGENTS.md is UTF-16/)
    expect(readFileSync(join(place.cwd, 'AGENTS.md'))).toEqual(rules)
  })

  it('is told to the model, and is taken back by a rewind to before it', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'Hello.' }, { text: 'Understood.' })
    const { client, watched, summary } = await place.talk({ model })
    const { conversationId } = summary
    await watched.send('hi')
    await watched.turnEnded()
    const { hash } = await client.request('conversation/remember/plan', { conversationId, ...line('be brief') })
    const { seq } = await client.request('conversation/remember', { conversationId, ...line('be brief'), hash })
    await watched.send('go on')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests.at(-1))).toContain('I added a line to AGENTS.md')
    const plan = await client.request('conversation/rewind/plan', { conversationId, to: seq })
    expect(plan.changes).toMatchObject([{ path: 'AGENTS.md', kind: 'delete' }])
  })

  it('goes into CLAUDE.md where that is the file that is read, and into the file of the user', async () => {
    await using place = testPlace()
    place.write('CLAUDE.md', '- one\n')
    const { client, summary } = await place.talk()
    const { conversationId } = summary
    const plan = await client.request('conversation/remember/plan', { conversationId, ...line('two') })
    await client.request('conversation/remember', { conversationId, ...line('two'), hash: plan.hash })
    expect(place.read('CLAUDE.md')).toBe('- one\n- two\n')
    const own = await client.request('conversation/remember/plan', { conversationId, ...line('mine', 'user') })
    expect(own.path).toBe(join(place.root, '.parley', 'AGENTS.md'))
    await client.request('conversation/remember', { conversationId, ...line('mine', 'user'), hash: own.hash })
    expect(readFileSync(own.path, 'utf8')).toBe('- mine\n')
  })

  it('is not written through a link out of the project, whose file is not shown either', async () => {
    await using place = testPlace()
    const outside = join(place.root, 'private.txt')
    writeFileSync(outside, 'a private line\n')
    symlinkSync(outside, join(place.cwd, 'AGENTS.md'))
    const { client, summary } = await place.talk()
    const { conversationId } = summary
    expect(await client.refused('conversation/remember/plan', { conversationId, ...line('one') })).toMatchObject({
      code: 'invalidParams',
      message: expect.stringContaining('is a link out of'),
    })
    expect(readFileSync(outside, 'utf8')).toBe('a private line\n')
    rmSync(outside)
    expect(await client.refused('conversation/remember/plan', { conversationId, ...line('one') })).toMatchObject({
      code: 'invalidParams',
    })
  })

  it('is not written when the file has changed since, while a turn is open, or when the policy denies it', async () => {
    await using place = testPlace()
    const model = scriptedModel({ hang: true })
    const { client, watched, summary } = await place.talk({ model })
    const { conversationId } = summary
    const { hash } = await client.request('conversation/remember/plan', { conversationId, ...line('one') })
    writeFileSync(join(place.cwd, 'AGENTS.md'), 'by somebody else\n')
    expect(await client.refused('conversation/remember', { conversationId, ...line('one'), hash })).toMatchObject({
      code: 'planChanged',
    })
    expect(await client.refused('conversation/remember/plan', { conversationId, ...line(' - ') })).toMatchObject({
      code: 'invalidParams',
    })
    await watched.send('go')
    const again = await client.request('conversation/remember/plan', { conversationId, ...line('one') })
    expect(
      await client.refused('conversation/remember', { conversationId, ...line('one'), hash: again.hash }),
    ).toMatchObject({ code: 'turnInProgress' })
    await client.request('conversation/interrupt', { conversationId })
    await watched.turnEnded()
    await client.request('conversation/configure', {
      conversationId,
      settings: { sandbox: 'read-only', approvalPolicy: 'never' },
    })
    expect(await client.refused('conversation/remember/plan', { conversationId, ...line('one') })).toMatchObject({
      code: 'notPermitted',
    })
    expect(place.read('AGENTS.md')).toBe('by somebody else\n')
  })
})
