import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hasFullSandbox, noFullSandbox } from '@parley/testkit'
import { asOrdinaryUser, canBeOrdinary, whyNotOrdinary } from '@parley/testkit/ordinary-user'
import { describe, expect, it } from 'vitest'
import { openSandboxes } from '../../../src/sandbox/probe/open-sandboxes.ts'
import { findProgram, programFolders } from '../../../src/system/programs.ts'
import { fixturePath } from '../../fixture-process.ts'
import { openWorkspace, type Workspace } from '../../workspace.ts'
import { openPlayground } from '../playground.ts'

const perl = findProgram('perl', programFolders(''))?.path ?? null
const here = await openSandboxes({ cacheFile: null }).report()
const partial = await (async () => {
  using workspace = openWorkspace()
  return await openSandboxes({ cacheFile: null, programFolders: [folderWith(workspace, { perl: 'real' })] }).report()
})()
const hasLandlock = partial.enforcement === 'partial'
const hasAll = here.enforcement === 'full' && hasLandlock

/** Makes a folder with these programs: a link to the real one, or a shell script of this text. */
function folderWith(workspace: Workspace, programs: Readonly<Record<string, string>>): string {
  const folder = workspace.path('programs')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(programs)) {
    const target = findProgram(name, programFolders(''))?.path
    if (text !== 'real') writeFileSync(`${folder}/${name}`, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    else if (target !== undefined) symlinkSync(target, `${folder}/${name}`)
  }
  return folder
}

function disposableFolder(path: string): Disposable & { readonly path: string } {
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}

/** Script of a false bubblewrap that sets up nothing. */
const runsBare = `case "$1" in --version) echo bubblewrap 0.9.0; exit;; esac
while [ "$1" != -- ]; do shift; done; shift; exec "$@"`

describe('the sandboxes of this machine', () => {
  it('are reported with a reason', () => {
    expect(['full', 'partial', 'none']).toContain(here.enforcement)
    expect(here.reason).toMatch(/\.$/)
  })

  it('are none without their programs: the report names the package, and nothing runs', async () => {
    using workspace = openWorkspace()
    using ground = openPlayground()
    const cacheFile = workspace.path('cache/sandbox.json')
    const sandboxes = openSandboxes({ cacheFile, programFolders: [folderWith(workspace, {})] })
    const { enforcement, reason } = await sandboxes.report()
    expect(enforcement).toBe('none')
    expect(reason).toContain('sudo apt install bubblewrap')
    await expect(sandboxes.prepare(ground.limits())).rejects.toThrow('bubblewrap is not installed')
    expect(existsSync(cacheFile)).toBe(false)
  })

  it('do not include a false bubblewrap that blocks nothing', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    using workspace = openWorkspace()
    const folder = folderWith(workspace, { bwrap: runsBare })
    const { enforcement, reason } = await openSandboxes({ cacheFile: null, programFolders: [folder] }).report()
    expect(enforcement).toBe('none')
    expect(reason).toMatch(/bubblewrap was tried and did not mount what it was told to/)
  })

  it.skipIf(here.enforcement !== 'full')('are found without Perl, even when this Node lies below /tmp', () => {
    using workspace = openWorkspace()
    using below = disposableFolder(mkdtempSync('/tmp/parley-node-'))
    const node = `${below.path}/node`
    copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE)
    const folder = folderWith(workspace, { bwrap: 'real', nsenter: 'real' })
    const { stdout } = spawnSync(node, [fixturePath('report-sandboxes.ts'), folder], { encoding: 'utf8' })
    const { reason, ...found } = JSON.parse(stdout)
    // Without Perl nothing applies Landlock.
    expect([found, reason]).toEqual([{ ...here, reason: undefined }, expect.stringContaining('Named pipes')])
  })

  it.skipIf(here.enforcement !== 'full')('share a loopback only where one was tried and held', async () => {
    using workspace = openWorkspace()
    const without = folderWith(workspace, { bwrap: 'real' })
    const apart = openSandboxes({ cacheFile: null, programFolders: [without] })
    expect(await apart.report()).toMatchObject({
      enforcement: 'full',
      reason: expect.stringMatching(/nsenter.*not installed\.$/),
    })
    expect(await apart.openLoopback('test')).toBeNull()
    using other = openWorkspace()
    const enteringNothing = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
    const folder = folderWith(other, { bwrap: 'real', nsenter: enteringNothing })
    const leaking = openSandboxes({ cacheFile: null, programFolders: [folder] })
    expect((await leaking.report()).reason).toMatch(/was tried and did not keep it from the network\.$/)
    expect(await leaking.openLoopback('test')).toBeNull()
  })

  it('do not include a bubblewrap that cannot be started, whose output is reported', async () => {
    using workspace = openWorkspace()
    const folder = folderWith(workspace, { bwrap: 'echo "bwrap: no such luck" >&2; exit 1' })
    const report = spawnSync(process.execPath, [fixturePath('report-sandboxes.ts'), folder], {
      encoding: 'utf8',
    }).stdout
    expect(JSON.parse(report)).toMatchObject({
      enforcement: 'none',
      reason: expect.stringMatching(/bwrap: no such luck\.|This container/),
    })
  })

  it.skipIf(!hasLandlock)('are kept for the next start, which then starts nothing', async () => {
    using workspace = openWorkspace()
    const started = workspace.path('started')
    const folder = folderWith(workspace, { perl: `echo perl >> '${started}'; exec ${perl} "$@"` })
    const options = { cacheFile: workspace.path('home/cache/sandbox.json'), programFolders: [folder] }
    const first = await openSandboxes(options).report()
    expect(first.enforcement).toBe('partial')
    const before = readFileSync(started, 'utf8')
    expect(before).not.toBe('')
    expect(await openSandboxes(options).report()).toEqual(first)
    expect(readFileSync(started, 'utf8')).toBe(before)
    // Another program of the same name needs another finding.
    appendFileSync(`${folder}/perl`, '\n')
    expect(await openSandboxes(options).report()).toEqual(first)
    expect(readFileSync(started, 'utf8').length).toBeGreaterThan(before.length)
  })

  it.skipIf(!hasLandlock)('can become worse while in use, but not better', async () => {
    using workspace = openWorkspace()
    using ground = openPlayground()
    const broken = workspace.path('broken')
    const cacheFile = workspace.path('sandbox.json')
    const folder = folderWith(workspace, { perl: `[ -e '${broken}' ] && exit 9; exec ${perl} "$@"` })
    const sandboxes = openSandboxes({ cacheFile, programFolders: [folder] })
    expect((await sandboxes.report()).enforcement).toBe('partial')
    expect((await sandboxes.recheck()).enforcement).toBe('partial')
    writeFileSync(broken, '')
    expect((await sandboxes.recheck()).enforcement).toBe('none')
    expect((await sandboxes.report()).enforcement).toBe('none')
    expect(existsSync(cacheFile)).toBe(false)
    await expect(sandboxes.prepare(ground.limits())).rejects.toThrow()
  })

  it.skipIf(!hasLandlock)('do not become better by a program that was found later', async () => {
    using workspace = openWorkspace()
    const folder = folderWith(workspace, {})
    const sandboxes = openSandboxes({ cacheFile: null, programFolders: [folder] })
    const before = await sandboxes.report()
    symlinkSync(perl ?? '', `${folder}/perl`)
    expect(await sandboxes.recheck()).toEqual(before)
  })

  it.skipIf(!hasLandlock)('do not use a program that commands may write to', async () => {
    using workspace = openWorkspace()
    using ground = openPlayground()
    const folder = folderWith(workspace, { perl: `exec ${perl} "$@"` })
    const sandboxes = openSandboxes({ cacheFile: null, programFolders: [folder] })
    const limits = ground.limits({ writableRoots: [ground.path('workspace'), workspace.path('.')] })
    await expect(sandboxes.prepare(limits)).rejects.toThrow('lies where commands may write')
    const readOnly = await sandboxes.prepare({ ...limits, mode: 'read-only' })
    readOnly.release?.()
  })
})

// As in a container: a filter around this process refuses namespaces. Numbers and offsets of x86-64.
const refuseNamespaces = `
my @lines = ([0x20,0,0,0], [0x15,0,2,56], [0x20,0,0,16], [0x45,3,2,0x7e020000], [0x15,2,0,272], [0x15,2,0,435],
  [0x06,0,0,0x7fff0000], [0x06,0,0,0x50001], [0x06,0,0,0x50026]);
my $filter = join '', map { pack 'SCCL', @$_ } @lines;
my $program = pack 'S x6 P', scalar @lines, $filter;
syscall(157, 38, 1, 0, 0, 0) == 0 && syscall(317, 1, 0, $program) == 0 or die "no filter: $!";
exec @ARGV or die`

const isReady = hasAll && process.arch === 'x64'
const users = [
  { who: 'this user', prefix: [], possible: isReady },
  { who: `an ordinary user${whyNotOrdinary}`, prefix: asOrdinaryUser, possible: isReady && canBeOrdinary },
] as const

/** Runs the report under restrictions made by these programs. */
function reportIn(...around: readonly string[]): unknown {
  const [program = '', ...args] = [...around, process.execPath, fixturePath('report-sandboxes.ts')]
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: '/' })
  return stdout === '' ? stderr : JSON.parse(stdout)
}

describe('a machine that refuses user namespaces', () => {
  for (const { who, prefix, possible } of users) {
    it.skipIf(!possible)(`by a filter, as containers do, gets the partial sandbox with the reason: ${who}`, () => {
      const reason = expect.stringContaining('This container refuses')
      expect(reportIn(...prefix, perl ?? '', '-e', refuseNamespaces)).toMatchObject({
        enforcement: 'partial',
        reason,
      })
    })
  }

  it.skipIf(!isReady)('by a limit of their number, gets the partial sandbox too', () => {
    const none = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    const reason = expect.stringContaining('user.max_user_namespaces')
    const report = reportIn('unshare', '--user', '--map-root-user', '/bin/sh', '-c', none, 'sh')
    expect(report).toMatchObject({ enforcement: 'partial', reason })
  })
})
