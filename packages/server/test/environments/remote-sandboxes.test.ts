import { describeEnvironment } from '@parley/exec-server/src/serve-exec.ts'
import { ending, standInSandboxes } from '@parley/exec-server/test/support/stand-in-sandboxes.ts'
import { createMark, noSandbox, type SandboxLimits } from '@parley/host'
import { EnvironmentUnreachableError } from '@parley/workspace'
import {
  type ExecConnection,
  type ExecInfo,
  type ExecLink,
  remoteSandboxes,
  sandboxRequest,
  startRemoteCommand,
  startRemoteStreams,
} from '@parley/workspace/testing'
import { describe, expect, it } from 'vitest'
import { brittleLink } from './support/brittle-link.ts'

const limits: SandboxLimits = {
  mode: 'workspace-write',
  writableRoots: ['/srv/app'],
  network: true,
  unixSockets: false,
  masked: ['/home/u/.ssh'],
  scratch: null,
}

type Answer = ExecInfo | 'away'

/** A link whose far side says these things, one each time it is asked. */
function linkThatSays(...answers: readonly Answer[]): Pick<ExecLink, 'connection' | 'ask'> {
  const left = [...answers]
  const next = (): Promise<ExecInfo> => {
    const answer = left.shift() ?? 'away'
    return answer === 'away' ? Promise.reject(new EnvironmentUnreachableError('gone')) : Promise.resolve(answer)
  }
  const connection = async () => ({ info: await next() }) as ExecConnection
  return { connection, ask: next as ExecLink['ask'] }
}

const says = (enforcement: 'full' | 'partial' | 'none') =>
  describeEnvironment('1', { enforcement, reason: `It is ${enforcement}.` }, true)
const { sandbox: _, ...ofOlder } = says('none')

describe('what enforces limits in an environment', () => {
  it('is what its exec-server says, and only ever gets worse', async () => {
    const sandboxes = remoteSandboxes(
      'box',
      linkThatSays(says('full'), says('partial'), says('full'), says('none'), says('full')),
    )
    expect(await sandboxes.report()).toEqual({ enforcement: 'full', reason: 'It is full.' })
    expect(await sandboxes.recheck()).toMatchObject({ enforcement: 'partial' })
    expect(await sandboxes.recheck()).toMatchObject({ enforcement: 'partial' })
    expect(await sandboxes.recheck()).toMatchObject({ enforcement: 'none' })
    expect(await sandboxes.report()).toMatchObject({ enforcement: 'none' })
  })

  it.each([
    ['says nothing of it', ofOlder],
    ['says it in words of before', { ...ofOlder, sandbox: { reason: 'By namespaces.' } }],
  ])('is nothing where an exec-server of an older version %s', async (_how, info) => {
    const older = remoteSandboxes('box', linkThatSays(info, info))
    expect(await older.report()).toMatchObject({ enforcement: 'none', reason: expect.stringContaining('too old') })
    await expect(older.prepare(limits)).rejects.toThrow('too old')
  })

  it('is nothing where the exec-server cannot be asked', async () => {
    const away = remoteSandboxes('box', linkThatSays('away', says('full')))
    expect(await away.report()).toMatchObject({
      enforcement: 'none',
      reason: expect.stringContaining('cannot be reached'),
    })
    expect(await away.report()).toMatchObject({ enforcement: 'full' })
  })

  it('is never put around a command here', async () => {
    const sandbox = await remoteSandboxes('box', linkThatSays(says('full'))).prepare(limits)
    expect(sandbox.limits).toBe(limits)
    expect(() => sandbox.wrap({ argv: ['true'], env: {}, cwd: '/' })).toThrow('enforced there')
  })

  it('is never asked to choose a writable folder itself', () => {
    expect(sandboxRequest(limits)).toMatchObject({ type: 'workspace-write', writableRoots: ['/srv/app'] })
    expect(sandboxRequest({ ...limits, writableRoots: [] })).toMatchObject({ type: 'read-only' })
    expect(sandboxRequest({ ...limits, mode: 'read-only' })).toMatchObject({ type: 'read-only' })
  })
})

describe('a command there', () => {
  const spec = () => ({ argv: ['sh', '-c', 'echo "$CONFINED"'], cwd: '/', env: {}, mark: createMark() })

  it('runs under the limits it was given, and without any only where it was given none', async () => {
    const sandboxes = standInSandboxes()
    await using brittle = brittleLink(null, undefined, sandboxes)
    const confined = { limits, wrap: noSandbox.wrap }
    const end = await startRemoteCommand(brittle.link, spec(), { sandbox: confined }).ended
    expect([end.reason, end.head.toString()]).toEqual(['exited', 'yes\n'])
    expect(sandboxes.prepared).toMatchObject([{ ...limits, scratch: expect.any(String) }])
    const free = await startRemoteCommand(brittle.link, spec(), { sandbox: noSandbox }).ended
    expect([free.reason, free.head.toString(), sandboxes.prepared.length]).toEqual(['exited', '\n', 1])
  })

  it('says that it was not run when its sandbox broke there, and what it tried when that was seen', async () => {
    const ran = async (wrap: ReturnType<typeof ending>) => {
      await using brittle = brittleLink(null, undefined, standInSandboxes({ wrap }))
      return await startRemoteCommand(brittle.link, spec(), { sandbox: { limits, wrap: noSandbox.wrap } }).ended
    }
    expect(await ran(ending({ ran: false, leftovers: 0 }, ['/bin/sh', '-c', 'exit 1']))).toMatchObject({
      reason: 'spawnFailed',
      exitCode: null,
      spawnError: { subject: 'sandbox' },
    })
    const tried = ending({ ran: true, leftovers: 0, triedNetwork: true }, ['/bin/sh', '-c', 'exit 1'])
    expect(await ran(tried)).toMatchObject({ reason: 'exited', exitCode: 1, triedNetwork: true })
  })

  it('that is stopped while its sandbox is set up was stopped, and the sandbox is not to blame', async () => {
    const wrap = ending({ ran: false, leftovers: 0 }, ['/bin/sh', '-c', 'echo up; exec sleep 600'])
    await using brittle = brittleLink(null, undefined, standInSandboxes({ wrap }))
    const command = startRemoteCommand(brittle.link, spec(), { sandbox: { limits, wrap: noSandbox.wrap } })
    const { promise: up, resolve } = Promise.withResolvers<void>()
    command.listen(() => resolve())
    await up
    command.stop('interrupted')
    const end = await command.ended
    expect(end).toMatchObject({ reason: 'interrupted' })
    expect(end).not.toHaveProperty('spawnError')
  })

  it.each([
    ['that has no sandbox', standInSandboxes({ enforcement: 'none' })],
    ['that cannot make it ready', standInSandboxes({ refusal: 'refused' })],
    [
      'that cannot put it around',
      standInSandboxes({
        wrap() {
          throw new Error('broken')
        },
      }),
    ],
  ])('is not run by an exec-server %s', async (_name, sandboxes) => {
    await using brittle = brittleLink(null, undefined, sandboxes)
    const end = await startRemoteCommand(brittle.link, spec(), { sandbox: { limits, wrap: noSandbox.wrap } }).ended
    expect(end).toMatchObject({ reason: 'spawnFailed', totalBytes: 0, spawnError: { subject: 'sandbox' } })
  })
})

describe('a process with streams there', () => {
  it('whose output nobody reads is ended', async () => {
    await using brittle = brittleLink(null)
    const argv = ['sh', '-c', 'while :; do echo 0123456789012345678901234567890123456789; done']
    const process = startRemoteStreams(brittle.link, { argv, cwd: '/', env: {} }, 100_000)
    expect(await process.ended).toMatchObject({ exitCode: 137 })
  })
})
