import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import { hasFullSandbox, noFullSandbox } from '@parley/testkit'
import { rgPath } from '@vscode/ripgrep'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, farPlace, patch, placeFor, shell } from './support/far-talk.ts'

/** Returns the result of each call that the model got. */
function told(watched: Watched): (string | undefined)[] {
  return watched.items().flatMap((item) => ('tool' in item ? [item.modelText] : []))
}

/** The far machine has the programs of this one, too. */
const hasRipgrep = (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, 'rg')))
const oneByOne = '\n[There is no ripgrep on that machine: its files were read one by one, large ones left out.]'

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

describe('a conversation in an environment', () => {
  it('runs its commands there, after a yes given here', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    const { far, here } = place
    const { watched, summary } = await place.talk(calling(shell('pwd; echo $HOME; touch made; echo err >&2')))
    expect(summary).toMatchObject({ cwd: far.work, settings: { environment: 'box' } })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ cwd: far.work, environment: 'box' })
    expect(() => far.read('made')).toThrow()
    await watched.decide('approved')
    await watched.turnEnded()
    const head = `${far.work}\n${far.home}\nerr\n`
    expect(watched.items()[1]).toMatchObject({ status: 'completed', exitCode: 0, output: { head } })
    expect(far.read('made')).toBe('')
    expect(() => here.read('made')).toThrow()
  })

  it('runs nothing there that is denied here', async () => {
    await using place = placeFor(machine.newFolder())
    const { watched } = await place.talk(calling(shell('touch made')))
    await watched.send('go')
    await watched.decide('denied')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'denied' })
    expect(() => place.far.read('made')).toThrow()
  })

  it('runs no command and applies no patch unasked in another folder that got the path of its own', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    const { far } = place
    const limited = { environment: 'box', approvalPolicy: 'on-request' } as const
    const model = calling(shell('echo on'), shell('touch made'), patch('*** Add File: new.txt', '+x'))
    const { watched } = await place.talk(model, {}, limited)
    renameSync(far.work, `${far.work}-moved`)
    mkdirSync(far.work)
    await watched.send('go')
    const { kind, rule } = await watched.until(({ core }) =>
      Object.values(core.approvals).find(({ state, kind: asked }) => state === 'pending' && asked === 'patch'),
    )
    expect([kind, rule.name]).toEqual(['patch', 'builtin:patch-outside-roots'])
    expect(told(watched).filter((text) => text?.includes('is not the folder that it was'))).toHaveLength(2)
    expect([readdirSync(far.work), readdirSync(`${far.work}-moved`)]).toEqual([[], []])
  })

  it('patches, reads, lists and searches there', async () => {
    await using place = placeFor(machine.newFolder())
    const { far, here } = place
    here.write('a.txt', 'here\n')
    far.write('a.txt', 'there\n')
    far.write('sub/b.txt', 'there too\n')
    far.write('.gitignore', 'out\n')
    far.write('out/x.txt', 'there\n')
    const search = { name: 'search', args: { pattern: 'there' } }
    const lines = ['*** Update File: a.txt', '-there', '+changed', '*** Add File: new/c.txt', '+new']
    const { watched } = await place.talk(
      calling(
        { name: 'read_file', args: { path: 'a.txt' } },
        { name: 'list_dir', args: {} },
        search,
        patch(...lines, '*** Delete File: sub/b.txt'),
        search,
      ),
    )
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ kind: 'patch', environment: 'box', cwd: far.work })
    far.program('rg', readFileSync(rgPath))
    await watched.decide('approved')
    await watched.turnEnded()
    expect(told(watched)).toEqual([
      '     1\tthere\n[lines 1-1 of 1, file of 6 bytes]',
      './\n  sub/\n    b.txt\n  .gitignore\n  a.txt\n[1 ignored entries not shown]',
      `a.txt\n1:there\n\nsub/b.txt\n1:there too${hasRipgrep ? '' : oneByOne}`,
      'Success. Updated the following files:\nA new/c.txt\nM a.txt\nD sub/b.txt',
      'No matches found.',
    ])
    expect([far.read('a.txt'), far.read('new/c.txt')]).toEqual(['changed\n', 'new\n'])
    expect(() => far.read('sub/b.txt')).toThrow()
    expect(here.read('a.txt')).toBe('here\n')
  })

  it('is told of the folder, the branch and the AGENTS.md files there', async () => {
    await using place = placeFor(machine.newFolder())
    const { far, here } = place
    here.write('AGENTS.md', 'rules of here')
    far.write('AGENTS.md', 'rules of there')
    far.write('.git/HEAD', 'ref: refs/heads/far-branch\n')
    const model = calling()
    const { watched, summary } = await place.talk(model)
    expect(summary.instructionFiles).toEqual([join(far.work, 'AGENTS.md')])
    await watched.send('go')
    await watched.turnEnded()
    const request = JSON.stringify(model.requests[0])
    expect(request).toContain('rules of there')
    expect(request).not.toContain('rules of here')
    expect(request).toContain(`Working directory: ${far.work}`)
    expect(request).toContain('Git branch: far-branch')
  })

  it('is judged by the files and programs there, never by those here', async () => {
    await using place = placeFor(machine.newFolder())
    const { far, here } = place
    far.write('a.txt', 'plain\n')
    mkdirSync(join(far.home, '.ssh'))
    writeFileSync(join(far.home, '.ssh/id'), 'secret\n')
    symlinkSync(join(far.home, '.ssh/id'), join(far.work, 'link.txt'))
    here.write('link.txt', 'harmless here\n')
    const { watched } = await place.talk(calling(shell('cat a.txt'), shell('cat link.txt')))
    await watched.send('go')
    const approval = await watched.approval()
    expect(approval).toMatchObject({ command: expect.arrayContaining(['cat link.txt']) })
    expect(watched.items()[1]).toMatchObject({ status: 'completed', output: { head: 'plain\n' } })
    await watched.decide('denied')
    await watched.turnEnded()
  })

  it('takes a program of the far workspace for what it is, whatever is installed here', async () => {
    await using place = placeFor(machine.newFolder())
    const { far } = place
    far.write('a.txt', 'plain\n')
    symlinkSync(join(far.work, 'mine.sh'), join(far.bin, 'nl'))
    far.write('mine.sh', '#!/bin/sh\ntouch ran\n')
    chmodSync(join(far.work, 'mine.sh'), 0o755)
    const { watched } = await place.talk(calling(shell('nl a.txt')))
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ command: expect.arrayContaining(['nl a.txt']) })
    await watched.decide('denied')
    await watched.turnEnded()
  })
})

describe('an environment that cannot be used', { timeout: 60_000 }, () => {
  it('is refused with a sentence when a conversation is to begin in it', async () => {
    await using place = await farPlace()
    const { far, here } = place
    const { client, server } = await place.talk(calling())
    const create = (more: object) => client.refused('conversation/create', { cwd: here.cwd, ...more })
    expect(await create({ environment: 'bax' })).toMatchObject({
      code: 'configInvalid',
      message: 'environment: there is no [environments.bax] in config.toml. Did you mean "box"?',
    })
    expect(await create({ environment: 'box', environmentCwd: 'nowhere' })).toMatchObject({
      code: 'cwdMissing',
      message: `There is no folder ${far.work}/nowhere in environment box.`,
    })
    await server.close()
    await far.kill()
    const again = await here.start({ model: calling() }).connect()
    expect(await again.refused('conversation/create', { cwd: here.cwd, environment: 'box' })).toMatchObject({
      code: 'environmentUnreachable',
      message: expect.stringMatching(/^The environment box cannot be reached: .*ECONNREFUSED.*\.$/),
    })
  })

  it('does not keep a recorded conversation from being opened, nor its turn from ending', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = await farPlace()
    const { far, here } = place
    const first = await place.talk(calling(shell('echo one')))
    await first.watched.send('go')
    await first.watched.turnEnded()
    const { conversationId } = first.summary
    await first.server.close()
    await far.kill()
    // What its project forbids is not known, so not even what needs no machine is done.
    const plan = { name: 'update_plan', args: { plan: [{ step: 'a', status: 'pending' }] } }
    const model = calling(shell('touch made'), plan)
    const client = await here.start({ model }).connect()
    const summary = await client.request('conversation/resume', { conversationId })
    expect(summary.warnings).toEqual([expect.stringContaining('The environment box cannot be reached')])
    const watched = await client.watch(conversationId)
    await watched.send('more')
    await watched.turnEnded()
    const failed = {
      status: 'failed',
      failure: { code: 'environmentUnreachable' },
      modelText: expect.stringMatching(/^Not run: The environment box cannot be reached/),
    }
    expect(watched.items().slice(-3, -1)).toMatchObject([failed, failed])
    await far.startAgain()
    model.script({ calls: [shell('touch made')] }, { text: 'ok' })
    await watched.send('again')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(far.read('made')).toBe('')
  })

  it('that is no longer configured is one sentence at resume, and the conversation can still be viewed', async () => {
    await using place = placeFor(machine.newFolder())
    const { here } = place
    const first = await place.talk(calling())
    await first.watched.send('go')
    await first.watched.turnEnded()
    const { conversationId } = first.summary
    await first.server.close()
    here.write('../.parley/config.toml', 'model_provider = "fake"\nmodel = "m1"\n')
    const client = await here.start({ model: calling() }).connect()
    expect(await client.refused('conversation/resume', { conversationId })).toMatchObject({
      code: 'configInvalid',
      message: `environment: there is no [environments.box] in config.toml. None is configured. \`parley attach --read-only ${conversationId.slice(-8)}\` shows it.`,
    })
    expect(await client.request('conversation/resume', { conversationId, readOnly: true })).toMatchObject({
      readOnly: true,
      settings: { environment: 'box' },
    })
  })

  it('cannot be changed at resume', async () => {
    await using place = placeFor(machine.newFolder())
    const first = await place.talk(calling())
    await first.watched.send('go')
    await first.watched.turnEnded()
    const { conversationId } = first.summary
    const refused = await first.client.refused('conversation/resume', {
      conversationId,
      overrides: { environment: 'local' },
    })
    expect(refused.message).toBe(
      'This conversation works in environment box, and that cannot be changed. Start a new one.',
    )
  })
})
