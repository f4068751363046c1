import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { innerShell, readFirstProcess, readOutcome } from '../../../src/sandbox/bubblewrap/inner-shell.ts'
import { mountedOverItself, readMountTable } from '../../../src/sandbox/bubblewrap/mount-table.ts'

const isLinux = process.platform === 'linux'
const cat = isLinux ? '/bin/cat' : null

/** Runs without a namespace, so that the script reads the mounts of this machine. */
function run(mounts: readonly string[], withCat: boolean) {
  const shell = innerShell({ mounts, pinned: [], cat: withCat ? cat : null, watchNetwork: 'no', limitTasks: false })
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore'] as const
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', shell, 'sh', 'echo', 'ran'], {
    stdio: [...stdio],
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

describe.skipIf(!isLinux)('the first process of a sandbox', () => {
  it.for([true, false])('runs the command when the mounts are as planned (with cat: %s)', (withCat, { skip }) => {
    const mounts = ['/', '/proc'].flatMap((path) => mountedOverItself(path, readMountTable()) ?? [])
    skip(mounts.length === 0, 'this is a chroot, whose / is no mount')
    expect(run(mounts, withCat)).toEqual({ status: 0, said: 'ran\n' })
  })

  it.each([true, false])('runs nothing when another folder is mounted (with cat: %s)', (withCat) => {
    for (const other of [' 0:0 / / ', ` 254:0 /it's /a\\040b `]) {
      const { status, said } = run([other], withCat)
      expect(status).toBe(125)
      expect(said).toContain('nothing was run')
    }
  })
})

const child = '{ "child-pid": 4711, "pid-namespace": 4026532181 }\n'
const exited = `${child}{ "exit-code": 0 }\n`
const counted = (noRoute: number, noPorts = 0) =>
  `Ip: Forwarding OutDiscards OutNoRoutes\nIp: 1 7 ${noRoute}\nUdp: InDatagrams NoPorts\nUdp: 3 ${noPorts}\n`

describe('the report of a sandbox', () => {
  it('names the first process, which bwrap reports first', () => {
    expect(readFirstProcess('')).toBeNull()
    expect(readFirstProcess('{ "child-')).toBeNull()
    expect(readFirstProcess(`${child}{ "child-pid": 1 }\n`)).toBe(4711)
  })

  it.each([
    ['bwrap failed before there was anything', '', '', false],
    ['bwrap failed at a mount', child, '', false],
    ['the command ended', exited, 'began\nleft 0\n', true],
    ['bwrap was killed meanwhile', child, 'began\n', true],
    ['the command has wiped out the report', exited, '', true],
  ])('%s', (_, status, report, ran) => {
    expect(readOutcome(status, report)).toEqual({ ran, leftovers: 0 })
  })

  it.each([
    ['nothing was sent', counted(0), false],
    ['a packet had no way out', counted(1), true],
    ['a packet of version 6 had no way out', `${counted(0)}Ip6OutNoRoutes 2\n`, true],
    ['nobody answered a look-up', counted(0, 1), true],
  ])('%s', (_, counts, triedNetwork) => {
    expect(readOutcome(exited, `began\nleft 3\n${counts}`)).toEqual({ ran: true, leftovers: 3, triedNetwork })
  })

  it.each([
    ['nothing more was sent', counted(2, 1), false],
    ['one more packet had no way out', counted(3, 1), true],
  ])('of a network that others share has the difference: %s', (_, after, triedNetwork) => {
    const report = `began\n${counted(2, 1)}left 0\n${after}`
    expect(readOutcome(exited, report)).toEqual({ ran: true, leftovers: 0, triedNetwork })
  })

  it.each(['left -1\n', 'left 99999999999999\n', 'left x\n', 'Ip: OutNoRoutes\n', 'Ip: A\nIp: 1\n', '\0\n'])(
    'ignores nonsense written by the command (%j)',
    (nonsense) => {
      expect(readOutcome(exited, `began\n${nonsense}`)).toEqual({ ran: true, leftovers: 0 })
    },
  )
})
