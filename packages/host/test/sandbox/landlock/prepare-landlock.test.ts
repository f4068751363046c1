import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMark, openHost } from '../../../src/index.ts'
import { prepareLandlock } from '../../../src/sandbox/landlock/prepare-landlock.ts'
import { openSandboxes } from '../../../src/sandbox/probe/open-sandboxes.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { findProgram, programFolders } from '../../../src/system/programs.ts'
import { fixturePath } from '../../fixture-process.ts'
import { openPlayground } from '../playground.ts'
import { runLimited } from '../run-limited.ts'

/** Searches as on a machine without bubblewrap; the folder is needed only during the search. */
async function lookWithoutBubblewrap() {
  const programs = mkdtempSync(join(tmpdir(), 'parley-programs-'))
  try {
    const perl = findProgram('perl', programFolders(''))
    if (perl !== null) symlinkSync(perl.path, join(programs, 'perl'))
    const sandboxes = openSandboxes({ cacheFile: null, programFolders: [programs] })
    return { sandboxes, ...(await sandboxes.report()) }
  } finally {
    rmSync(programs, { recursive: true })
  }
}

const { sandboxes, enforcement, reason } = await lookWithoutBubblewrap()
/** True since Linux 6.12. */
const knowsSignals =
  enforcement === 'partial' && Number(execFileSync('perl', ['-e', 'print syscall(444, 0, 0, 1)'])) >= 6
const probe = `perl ${fixturePath('probe.pl')}`

describe.skipIf(enforcement !== 'partial')(
  `limits by Landlock${enforcement === 'partial' ? '' : ` (${reason})`}`,
  () => {
    it.each(['read-only', 'workspace-write'] as const)(
      'open no FIFO of another program for writing in %s',
      async (mode) => {
        using ground = openPlayground()
        const fifo = ground.path('out/pipe')
        execFileSync('mkfifo', [fifo])
        const sandbox = await sandboxes.prepare(ground.limits({ mode }))
        const { lines } = await runLimited(sandbox, `dd if=/dev/null of=${fifo} oflag=nonblock conv=notrunc 2>&1`)
        expect(lines.join()).toContain('Permission denied')
      },
    )

    it('let a command write to folders of the workspace and its scratch, and to nothing else', async () => {
      using ground = openPlayground()
      symlinkSync(ground.path('out'), ground.path('workspace/src/link'))
      const sandbox = await sandboxes.prepare(ground.limits())
      const { lines } = await runLimited(
        sandbox,
        `try() { if ( eval "$2" ) 2>/dev/null; then echo "$1: yes"; else echo "$1: no"; fi; }
      try folder 'echo a > src/new && mv src/new src/moved && mkdir src/deep'
      try existing 'echo new > file'
      try scratch 'echo b > "$TMPDIR/kept"'
      try null 'echo > /dev/null'
      try hook 'echo x > .git/hooks/pre-commit'
      try config 'echo x > .git/config'
      try agent 'mkdir .parley'
      try remove 'rm -rf .git'
      try rename 'mv .git src/git'
      try outside 'echo x >> ../out/victim'
      try through-link 'echo x > src/link/victim'
      try truncate ': > ../out/victim'
      try hardlink 'ln ../out/victim src/victim'
      try start-file 'echo x >> ../home/.profile'
      try device 'mknod src/disk b 8 0'`,
        { cwd: ground.path('workspace') },
      )
      sandbox.release?.()
      const allowed = lines.filter((line) => line.endsWith(': yes')).map((line) => line.slice(0, -5))
      expect(allowed).toEqual(['folder', 'existing', 'scratch', 'null'])
      expect(lines).toHaveLength(15)
      expect(readFileSync(ground.path('workspace/file'), 'utf8')).toBe('new\n')
      expect(readFileSync(ground.path('out/victim'), 'utf8')).toBe('victim')
      expect(readdirSync(ground.path('workspace')).sort()).toEqual(['.git', 'file', 'src'])
      expect(readdirSync(ground.path('workspace/src')).sort()).toEqual(['deep', 'link', 'moved'])
      expect(readFileSync(ground.path('scratch/kept'), 'utf8')).toBe('b\n')
    })

    it('let a command read, but no secrets, no disks and nothing of other processes', async () => {
      using ground = openPlayground()
      const sandbox = await sandboxes.prepare(ground.limits({ mode: 'read-only' }))
      const { lines } = await runLimited(
        sandbox,
        `cat home/.profile; echo; ls home/.ssh; cat home/.ssh/id; cat /proc/self/root${ground.path('home/.ssh/id')}
      cat /proc/${process.pid}/environ; for disk in /dev/[svn][dv]*; do head -c1 "$disk"; done
      echo x > workspace/src/new; echo x > workspace/file; echo y > "$TMPDIR/y" && cat "$TMPDIR/y"
      chmod 777 out/victim home/.ssh; chown 1 out/victim`,
        { cwd: ground.path('.') },
      )
      sandbox.release?.()
      expect(lines.filter((line) => !/denied|[Nn]o such|cannot|not permitted/.test(line))).toEqual([
        'a start file',
        'id',
        'y',
      ])
      expect(readFileSync(ground.path('workspace/file'), 'utf8')).toBe('old')
      expect(statSync(ground.path('home/.ssh')).mode & 0o777).toBe(0o700)
    })

    it('keep a command from the network, from other processes and from ways around the filter', async () => {
      using ground = openPlayground()
      let contacts = 0
      const listener = createServer(() => contacts++).listen(0, '127.0.0.1')
      const neighbour = spawn('sleep', ['60'])
      try {
        await new Promise((resolve) => listener.once('listening', resolve))
        const address = listener.address()
        const port = typeof address === 'object' ? address?.port : 0
        const signals = knowsSignals ? `${probe} kill ${neighbour.pid}` : 'true'
        const sandbox = await sandboxes.prepare(ground.limits())
        const { exitCode, lines } = await runLimited(
          sandbox,
          `all() { ${probe} sockets && ${probe} unix && ${probe} tcp 127.0.0.1 ${port} && ${probe} udp 127.0.0.1 ${port} &&
          ${probe} ptrace ${neighbour.pid} && ${signals} && ${probe} namespaces && ${probe} tiocsti; }; all`,
        )
        sandbox.release?.()
        expect(lines.filter((line) => line.includes('allowed'))).toEqual([])
        expect(exitCode).toBe(0)
        expect(contacts).toBe(0)
      } finally {
        listener.close()
        neighbour.kill('SIGKILL')
      }
    })

    it('let a command use the network when it is allowed', async () => {
      using ground = openPlayground()
      const listener = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => listener.once('listening', resolve))
      const address = listener.address()
      const port = typeof address === 'object' ? address?.port : 0
      const sandbox = await sandboxes.prepare(ground.limits({ network: true, unixSockets: true }))
      const { lines } = await runLimited(sandbox, `${probe} tcp 127.0.0.1 ${port}; ${probe} connect /run/nobody`)
      sandbox.release?.()
      listener.close()
      expect(lines[0]).toBe('tcp: allowed')
      // Unix sockets are never allowed, because those of the system could not be blocked.
      expect(
        lines.filter((line) => line.startsWith('unix') && !line.includes('of a pair') && !line.includes('EPERM')),
      ).toEqual([])
    })

    it('give the env to the command, and none of it to the script', async () => {
      using ground = openPlayground()
      writeFileSync(ground.path('workspace/Evil.pm'), `open my $f, '>', '${ground.path('out/loaded')}'; 1;`)
      const env = { PERL5OPT: '-MEvil', PERL5LIB: ground.path('workspace'), LD_PRELOAD: '', ODD: ' a=b\nc ', EMPTY: '' }
      const sandbox = await sandboxes.prepare(ground.limits({ scratch: null }))
      const { lines } = await runLimited(
        sandbox,
        'env; grep -E "^(Cap(Eff|Prm|Inh|Amb)|NoNewPrivs)" /proc/self/status',
        {
          env,
        },
      )
      expect(existsSync(ground.path('out/loaded'))).toBe(false)
      expect(lines).toEqual(expect.arrayContaining(['PERL5OPT=-MEvil', 'ODD= a=b', 'c ', 'EMPTY=', 'NoNewPrivs:\t1']))
      expect(lines.filter((line) => line.startsWith('Cap'))).toEqual(
        ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].map((set) => `${set}:\t0000000000000000`),
      )
      const temporary = lines.find((line) => line.startsWith('TMPDIR='))?.slice('TMPDIR='.length) ?? ''
      expect(existsSync(temporary)).toBe(true)
      sandbox.release?.()
      await expect.poll(() => existsSync(temporary)).toBe(false)
    })

    it('report a missing or failing command apart from limits that could not be set up', async () => {
      using ground = openPlayground()
      const host = openHost()
      const ends = async (sandbox: Sandbox, ...argv: string[]) => {
        const { ended } = host.runCommand({ argv, cwd: '/', env: {}, mark: createMark() }, { sandbox })
        const { reason, exitCode, spawnError, head } = await ended
        sandbox.release?.()
        return { reason, exitCode, subject: spawnError?.subject, output: head.toString() }
      }
      const broken = { program: '/bin/false', version: 3, arch: 'x64', host: { home: ground.path('home') } } as const
      try {
        const missing = await ends(await sandboxes.prepare(ground.limits()), '/nowhere/program')
        expect(missing).toMatchObject({ reason: 'spawnFailed', exitCode: 127, subject: 'program' })
        const failed = await ends(
          await sandboxes.prepare(ground.limits()),
          '/bin/sh',
          '-c',
          'echo a; echo b >/dev/stderr; exit 125',
        )
        expect(failed).toMatchObject({ reason: 'exited', exitCode: 125, output: 'a\nb\n' })
        const unlimited = await ends(await prepareLandlock(ground.limits(), broken), '/bin/echo', 'x')
        expect(unlimited).toMatchObject({ reason: 'spawnFailed', subject: 'sandbox', output: '' })
      } finally {
        await host.close()
      }
    })
  },
)
