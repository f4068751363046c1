import { chmodSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandSpec, type Host, noSandbox, openHost, type Sandbox } from '../../src/index.ts'
import { explainSpawnFailure } from '../../src/system/spawn-failure.ts'
import { command, shellCommand } from '../waiting.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'

let host: Host
let workspace: Workspace
beforeAll(() => {
  host = openHost()
  workspace = openWorkspace()
  writeFileSync(workspace.path('plain'), 'not a program')
  writeFileSync(workspace.path('script'), '#!/no/such/interpreter\n')
  writeFileSync(workspace.path('bare'), 'echo bare')
  chmodSync(workspace.path('script'), 0o755)
  chmodSync(workspace.path('bare'), 0o755)
})
afterAll(async () => {
  await host.close()
  workspace[Symbol.dispose]()
})

const run = (spec: CommandSpec, sandbox: Sandbox = noSandbox) => host.runCommand(spec, { sandbox }).ended
const tooLong = Array.from({ length: 100 }, () => 'x'.repeat(100_000))

describe('a command that cannot be started', () => {
  it.each([
    [
      'a program that is not on PATH',
      () => command(['no-such-program']),
      'ENOENT',
      'program',
      127,
      /not found on PATH/,
    ],
    ['a path where nothing is', () => command(['/no/such/program']), 'ENOENT', 'program', 127, /was not found$/],
    [
      'a script without its interpreter',
      () => command([workspace.path('script')]),
      'ENOENT',
      'program',
      127,
      /interpreter/,
    ],
    ['a file that is not executable', () => command([workspace.path('plain')]), 'EACCES', 'program', 126, /may not/],
    ['a directory', () => command(['/usr']), 'EACCES', 'program', 126, /may not/],
    ['a missing directory', () => command(['true'], { cwd: workspace.path('gone') }), 'ENOENT', 'cwd', null, /gone/],
    ['a file as directory', () => command(['true'], { cwd: workspace.path('plain') }), 'ENOTDIR', 'cwd', null, /plain/],
    ['too long arguments', () => command(['echo', ...tooLong]), 'E2BIG', 'arguments', 126, /too long/],
    ['a NUL in an argument', () => command(['echo', 'a\0b']), 'EINVAL', 'arguments', null, /NUL/],
    ['no program', () => command([]), 'EINVAL', 'arguments', null, /No program/],
    [
      'a mark that would tell the guard more',
      () => command(['true'], { mark: 'a\ngroups 1' }),
      'EINVAL',
      'arguments',
      null,
      /mark/,
    ],
  ] as const)('reports %s apart from the other causes', async (_title, spec, code, subject, exitCode, message) => {
    const end = await run(spec())
    expect(end).toMatchObject({ reason: 'spawnFailed', exitCode, signal: null, totalBytes: 0, leftovers: 0 })
    expect(end.spawnError).toEqual({ code, subject, message: expect.stringMatching(message) })
  })

  it('reports a missing directory apart from a missing program', async () => {
    mkdirSync(workspace.path('vanishing'))
    rmdirSync(workspace.path('vanishing'))
    const end = await run(command(['no-such-program'], { cwd: workspace.path('vanishing') }))
    expect(end.spawnError?.subject).toBe('cwd')
  })

  it('is not a program that exits with 127 or 126', async () => {
    expect((await run(shellCommand('no-such-program'))).spawnError).toBeUndefined()
    expect(await run(shellCommand('exit 126'))).toMatchObject({ exitCode: 126, reason: 'exited' })
  })

  it('is not an executable text without an interpreter line, which the shell runs', async () => {
    expect((await run(command([workspace.path('bare')]))).head.toString()).toBe('bare\n')
  })

  it('a process limit is reported as a limit of the system', () => {
    const error = Object.assign(new Error('spawn true EAGAIN'), { code: 'EAGAIN', path: 'true' })
    expect(explainSpawnFailure(error, command(['true']))).toMatchObject({ code: 'EAGAIN', subject: 'system' })
  })
})

describe('a sandbox that fails', () => {
  it('leaves the command not run', async () => {
    const broken: Sandbox = {
      limits: null,
      wrap() {
        throw new Error('no user namespaces')
      },
    }
    const end = await run(shellCommand(`echo > ${workspace.path('ran')}`), broken)
    expect(end).toMatchObject({ reason: 'spawnFailed', exitCode: null, spawnError: { subject: 'sandbox' } })
    expect(end.spawnError?.message).toContain('no user namespaces')
  })

  it('is reported apart from a missing program when its helper is missing', async () => {
    const missing: Sandbox = {
      limits: null,
      wrap: (inner) => ({ ...inner, argv: ['/no/such/bwrap', '--', ...inner.argv] }),
    }
    const end = await run(command(['true']), missing)
    expect(end.spawnError).toMatchObject({ code: 'ENOENT', subject: 'sandbox' })
    expect(end.exitCode).toBeNull()
  })
})
