import { existsSync, lstatSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { tempWorkspace, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { execPlace } from '../support/in-process.ts'
import { ending, standInSandboxes } from '../support/stand-in-sandboxes.ts'

const say = ['sh', '-c', 'echo "$CONFINED"']

describe('a process under a sandbox policy', () => {
  it.each([
    ['full', undefined, 'none', '\n'],
    ['full', 'danger-full-access', 'none', '\n'],
    ['full', 'read-only', 'bubblewrap', 'yes\n'],
    ['partial', { type: 'workspaceWrite', writableRoots: ['/nowhere'] }, 'landlock', 'yes\n'],
  ] as const)('in enforcement %s with %j says what confines it: %s', async (enforcement, sandbox, type, said) => {
    await using place = execPlace({ sandboxes: standInSandboxes({ enforcement }), platform: 'linux' })
    const client = await place.greeted()
    expect((await client.start('a', say, { sandbox })).result).toEqual({ processId: 'a', sandboxType: type })
    const exited = await client.untilTold('a', 'process/exited')
    expect(exited.params).toMatchObject({ exitCode: 0, sandboxDenied: false })
    await client.untilTold('a', 'process/closed')
    expect(client.text('a')).toBe(said)
    expect((await client.ask('process/read', { processId: 'a' })).result).toMatchObject({ sandboxDenied: false })
  })

  it('is not run without a sandbox, nor when its sandbox fails', async () => {
    for (const sandboxes of [
      standInSandboxes({ enforcement: 'none' }),
      standInSandboxes({ refusal: 'The mount was refused.' }),
    ]) {
      await using place = execPlace({ sandboxes })
      const client = await place.greeted()
      await using workspace = await tempWorkspace()
      const made = join(workspace.path, 'made')
      const { error } = await client.start('a', ['touch', made], { sandbox: 'workspace-write', cwd: workspace.path })
      expect(error).toMatchObject({ code: -32600, data: { code: 'sandboxUnavailable' } })
      expect(error?.message).toMatch(/It is none\.|The mount was refused\./)
      expect((await client.start('a', ['true'])).result).toBeDefined()
      expect(existsSync(made)).toBe(false)
    }
  })

  it('gets only the named roots, by their real paths', async () => {
    const sandboxes = standInSandboxes()
    await using place = execPlace({ sandboxes, secrets: ['/keys'] })
    await using workspace = await tempWorkspace({ files: { 'real/a': '', 'other/a': '' } })
    const at = (name: string) => join(workspace.path, name)
    symlinkSync(at('real'), at('link'))
    const client = await place.greeted()
    const run = (id: string, sandbox: unknown) => client.run(id, ['true'], { cwd: at('other'), sandbox })
    await run('a', { type: 'workspace-write', writableRoots: [at('link')], masked: [at('link/a')] })
    await run('b', { type: 'workspace-write' })
    await run('c', { sandboxPolicy: { type: 'workspace-write', networkAccess: true }, cwd: at('real') })
    const one = { mode: 'workspace-write', network: false, unixSockets: false }
    expect(sandboxes.prepared).toMatchObject([
      { ...one, writableRoots: [at('real')], masked: ['/keys', at('real/a')] },
      { ...one, writableRoots: [at('other')], masked: ['/keys'] },
      { ...one, writableRoots: [at('real')], network: true },
    ])
  })

  it('shares a private /tmp with its session, which is removed with the session', async () => {
    const sandboxes = standInSandboxes()
    await using place = execPlace({ sandboxes, lingerMs: 0 })
    const [one, other] = [await place.greeted(), await place.greeted()]
    await one.run('a', ['true'], { sandbox: 'read-only' })
    await one.run('b', ['true'], { sandbox: 'read-only' })
    await other.run('a', ['true'], { sandbox: 'read-only' })
    const [first = '', second, third = ''] = sandboxes.prepared.map(({ scratch }) => scratch ?? '')
    expect([second === first, third === first]).toEqual([true, false])
    expect([realpathSync(first), lstatSync(first).mode & 0o777]).toEqual([first, 0o700])
    await one.leave()
    await waitUntil(() => !existsSync(first), { what: 'the end of the folder' })
    expect(existsSync(third)).toBe(true)
  })

  it('shares a loopback with those of its session that name the same and have equal limits, until the session ends', async () => {
    const sandboxes = standInSandboxes()
    await using place = execPlace({ sandboxes, lingerMs: 0 })
    const [one, other] = [await place.greeted(), await place.greeted()]
    const named = { type: 'read-only', sharedLoopback: 'c-1' }
    await one.run('a', ['true'], { sandbox: named })
    await one.run('b', ['true'], { sandbox: named })
    await one.run('c', ['true'], { sandbox: { ...named, sharedLoopback: 'c-2' } })
    await one.run('d', ['true'], { sandbox: { ...named, unixSockets: true } })
    await one.run('e', ['true'], { sandbox: { ...named, writableRoots: ['/nowhere'] } })
    await other.run('a', ['true'], { sandbox: named })
    await one.run('f', ['true'], { sandbox: 'read-only' })
    await one.run('g', ['true'], { sandbox: { ...named, networkAccess: true } })
    const [a, b, c, d, e, elsewhere, own, network] = sandboxes.loopbacks
    expect([b, own, network]).toEqual([a, null, null])
    expect(b).toBe(a)
    expect(new Set([a, c, d, e, elsewhere]).size).toBe(5)
    await one.leave()
    await waitUntil(() => sandboxes.closedLoopbacks === 4, { what: 'the end of the loopbacks' })
  })

  it('can be terminated while its sandbox is prepared, and is then never started', async () => {
    const gate = Promise.withResolvers<void>()
    const sandboxes = standInSandboxes({ gate: gate.promise })
    await using place = execPlace({ sandboxes })
    const client = await place.greeted()
    const starting = client.start('a', ['touch', '/made'], { sandbox: 'read-only' })
    const again = client.start('a', ['true'])
    expect((await client.ask('process/terminate', { processId: 'a' })).result).toEqual({ running: true })
    gate.resolve()
    for (const { error } of await Promise.all([starting, again]))
      expect(error?.data).toMatchObject({ code: 'spawnFailed', errno: 'ECANCELED' })
    expect(sandboxes.released).toBe(1)
    expect((await client.start('a', ['true'])).result).toBeDefined()
  })

  it('that fails after a blocked network attempt reports sandboxDenied', async () => {
    for (const [exitCode, triedNetwork, sandboxDenied] of [
      [7, true, true],
      [7, false, false],
      [0, true, false],
    ] as const) {
      const wrap = ending({ ran: true, leftovers: 0, triedNetwork }, ['sh', '-c', `exit ${exitCode}`])
      await using place = execPlace({ sandboxes: standInSandboxes({ wrap }) })
      const client = await place.greeted()
      await client.run('a', ['true'], { sandbox: 'read-only' })
      const { params } = await client.untilTold('a', 'process/exited')
      expect(params).toMatchObject({ exitCode, sandboxDenied })
      expect((await client.ask('process/read', { processId: 'a' })).result).toMatchObject({ exitCode, sandboxDenied })
    }
  })

  it('whose sandbox fails after its start reports that nothing was run', async () => {
    const sandboxes = standInSandboxes({ wrap: ending({ ran: false, leftovers: 0 }, ['sh', '-c', 'exit 1']) })
    await using place = execPlace({ sandboxes })
    const client = await place.greeted()
    await client.run('a', ['true'], { sandbox: 'read-only' })
    const failure = expect.stringContaining('The sandbox could not be set up')
    expect((await client.untilTold('a', 'process/exited')).params).toMatchObject({ failure, sandboxDenied: false })
    expect((await client.ask('process/read', { processId: 'a' })).result).toMatchObject({ failure })
    expect([sandboxes.rechecks, sandboxes.released]).toEqual([1, 1])
  })

  it('is not run when its sandbox cannot be set up, and the server then reports no sandbox', async () => {
    const wrap = () => {
      throw new Error('no namespace left')
    }
    const sandboxes = standInSandboxes({ wrap })
    await using place = execPlace({ sandboxes })
    const client = await place.greeted()
    expect((await client.ask('environment/info')).result).toMatchObject({
      capabilities: { sandbox: true },
      sandbox: { enforcement: 'full', reason: 'It is full.' },
    })
    const { error } = await client.start('a', ['true'], { sandbox: 'read-only' })
    expect(error).toMatchObject({ code: -32603, data: { code: 'spawnFailed', subject: 'sandbox' } })
    expect((await client.ask('environment/info')).result).toMatchObject({
      capabilities: { sandbox: false },
      sandbox: { enforcement: 'none', reason: 'It broke.' },
    })
  })
})
