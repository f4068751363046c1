import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { SandboxLimits } from '../../../src/index.ts'
import { fixturePath } from '../../fixture-process.ts'
import { openPlayground, type Playground } from '../playground.ts'
import { whyNot } from './bubblewrap-here.ts'
import { bubblewrapUsers } from './bubblewrap-users.ts'

interface Ran {
  readonly exitCode: number | null
  readonly reason: string
  readonly leftovers: number
  readonly triedNetwork?: boolean
  readonly spawnError?: { readonly subject: string }
  readonly text: string
}

const hasGit = spawnSync('git', ['--version']).status === 0
const path = '/usr/local/bin:/usr/bin:/bin'
const run = promisify(execFile)
/** Folder outside of /tmp, whose content is hidden inside. */
const elsewhere = '/var/tmp'

function hand(folder: string): void {
  chownSync(folder, 65534, 65534)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) hand(join(folder, entry.name))
    else if (entry.isFile()) chownSync(join(folder, entry.name), 65534, 65534)
  }
}

describe.each(bubblewrapUsers)('a command in the sandbox of $who', ({ prefix, possible }) => {
  async function runAll(
    ground: Playground,
    scripts: readonly string[],
    more: Partial<SandboxLimits> = {},
  ): Promise<Ran[]> {
    if (prefix.length > 0) hand(ground.path('.'))
    const cwd = ground.path('workspace')
    const env = { PATH: path, HOME: ground.path('home') }
    const runs = scripts.map((script) => ({ argv: ['bash', '-c', script], cwd, env }))
    const order = JSON.stringify({ limits: ground.limits(more), home: ground.path('home'), runs })
    const [program = '', ...args] = [...prefix, process.execPath, fixturePath('sandboxed-commands.ts'), order]
    const { stdout } = await run(program, args, { cwd: '/' })
    return JSON.parse(stdout)
  }
  /** Names of the attempts that worked. */
  const tries = (attempts: Readonly<Record<string, string>>) =>
    Object.entries(attempts)
      .map(([name, attempt]) => `if (${attempt}) >/dev/null 2>&1; then echo ${name}; fi`)
      .join('\n')

  const workable = it.skipIf(!possible)

  workable(`writes to its workspace and its /tmp, and to nothing else${whyNot}`, { timeout: 60_000 }, async () => {
    using ground = openPlayground(elsewhere)
    symlinkSync(ground.path('out'), ground.path('workspace/link'))
    mkdirSync(ground.path('workspace/vendor/sub/.git/hooks'), { recursive: true })
    mkdirSync(ground.path('workspace-evil'))
    const attempts = tries({
      file: 'echo new > file && echo more > src/other && mkdir a && rmdir a',
      scratch: 'echo x > /tmp/kept && echo y > "$TMPDIR/y" && mkdir -p "$XDG_CACHE_HOME" "$npm_config_cache"',
      memory: 'echo x > /dev/shm/x',
      null: 'echo x > /dev/null',
      outside: `echo x >> ${ground.path('out/victim')}`,
      sibling: `touch ${ground.path('workspace-evil/x')}`,
      parent: 'touch ../x',
      throughLink: 'echo x >> link/victim',
      newLink: `ln -s ${ground.path('out/victim')} l && echo x >> l`,
      hardLink: `ln ${ground.path('out/victim')} h`,
      home: `echo x >> ${ground.path('home/.profile')}`,
      system: 'touch /etc/parley-canary || touch /usr/x || touch /var/tmp/x || touch /x',
      hook: 'echo x > .git/hooks/pre-commit',
      commondir: 'echo /evil > .git/commondir',
      gitAway: 'mv .git git || rm -rf .git',
      nested: 'echo x > vendor/sub/.git/hooks/x || touch vendor/sub/.git/commondir',
      nestedAway: 'mv vendor/sub vendor/x || mv vendor v',
      settings: 'mkdir .parley || touch .parley/x || touch .envrc/x || rm -r .mcp.json || mv .vscode v',
      overLink: 'rm -rf .idea && ln -s src .idea',
      processRoot: `for p in /proc/[0-9]*; do touch $p/root${ground.path('out/x')} && exit 0; done; exit 1`,
      kernel:
        'exec 5>/proc/sys/kernel/core_pattern || exec 5>/sys/fs/cgroup/cgroup.procs || exec 5>/proc/sysrq-trigger',
      remount: 'mount -o remount,rw / || umount .git || unshare -Ur true',
      node: 'mknod d b 8 0',
    })
    const [end] = await runAll(ground, [attempts])
    expect(end?.text.trim().split('\n')).toEqual(['file', 'scratch', 'memory', 'null'])
    expect(readFileSync(ground.path('out/victim'), 'utf8')).toBe('victim')
    expect(readdirSync(ground.path('out'))).toEqual(['victim'])
    expect(readdirSync(ground.path('workspace')).sort()).toEqual(['.git', 'file', 'l', 'link', 'src', 'vendor'])
    expect(readdirSync(ground.path('workspace/.git'))).toEqual(['hooks'])
  })

  workable('reads, but no secrets, nothing of others, and writes nothing where it only reads', async () => {
    using ground = openPlayground(elsewhere)
    writeFileSync(ground.path('home/.netrc'), 'a secret word')
    mkdirSync(ground.path('home/.docker'))
    symlinkSync(ground.path('home/.ssh/id'), ground.path('workspace/key'))
    const masked = ['.ssh', '.netrc', '.docker', '.missing'].map((name) => ground.path(`home/${name}`))
    const script = `cat file key ${ground.path('home/.netrc')} ${ground.path('home/.ssh/id')} 2>/dev/null
      echo; echo home $(ls -A ${ground.path('home')})
      echo services $(ls -A /run/user /run/dbus /run/systemd 2>/dev/null | grep -v -e : -e resolve)
      echo environment $(tr '\\0' '\\n' 2>/dev/null < /proc/1/environ | grep -c SECRET)
      ${tries({ write: 'echo x > file || touch new', hidden: `touch ${ground.path('home/.ssh/x')}`, scratch: 'echo > /tmp/x' })}`
    const [end] = await runAll(ground, [script], { mode: 'read-only', masked })
    const said = ['old', 'home .docker .netrc .profile .ssh', 'services', 'environment 0', 'scratch', '']
    expect(end?.text.split('\n')).toEqual(said)
    expect(readFileSync(ground.path('workspace/file'), 'utf8')).toBe('old')
  })

  // Node lies in the checkout, and /tmp is another one inside.
  const hidesNode = process.execPath.startsWith('/tmp/')
  const served = `has a network of its own, and what it sends elsewhere is told${hidesNode ? ' (the checkout is below /tmp)' : ''}`
  it.skipIf(!possible || hidesNode)(served, { timeout: 60_000 }, async () => {
    using ground = openPlayground(elsewhere)
    let contacts = 0
    const listener = createServer(() => contacts++).listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const address = listener.address()
    const port = typeof address === 'object' ? address?.port : 0
    try {
      const server = `const s = require('net').createServer((c) => c.end('served')).listen(0, '127.0.0.1', () =>
        require('net').connect(s.address().port, '127.0.0.1').on('data', (d) => { console.log(String(d)); s.close() }))`
      const [own, host, away, udp, bus] = await runAll(ground, [
        `"${process.execPath}" -e "${server.replaceAll('\n', ' ')}"`,
        `exec 3<>/dev/tcp/127.0.0.1/${port}`,
        'exec 3<>/dev/tcp/192.0.2.1/80',
        'echo x > /dev/udp/192.0.2.1/53; true',
        `"${process.execPath}" -e "require('net').connect('/run/dbus/system_bus_socket').on('error', (e) => console.log(e.code))"`,
      ])
      expect(own).toMatchObject({ text: 'served\n', exitCode: 0, triedNetwork: false })
      expect(host).toMatchObject({ exitCode: 1, triedNetwork: false })
      expect(away).toMatchObject({ exitCode: 1, triedNetwork: true })
      expect(udp).toMatchObject({ exitCode: 0, triedNetwork: true })
      expect(bus?.text).toMatch(/^E/)
      expect(contacts).toBe(0)
      const [open] = await runAll(ground, [`exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached`], { network: true })
      expect(open).toMatchObject({ exitCode: 0, text: 'reached\n' })
      expect(open).not.toHaveProperty('triedNetwork')
    } finally {
      await new Promise((resolve) => listener.close(resolve))
    }
  })

  workable('keeps what it left in its /tmp for the next, and no process', async () => {
    using ground = openPlayground(elsewhere)
    const leave = `echo '#!/bin/sh\necho again' > /tmp/script; chmod +x /tmp/script
      (setsid sh -c 'exec </dev/null >/dev/null 2>&1; exec sleep 60' &); sleep 60 & exit 4`
    const [first, second] = await runAll(ground, [leave, '/tmp/script; ls -A /tmp'])
    expect(first).toMatchObject({ exitCode: 4, leftovers: 2, reason: 'exited' })
    expect(second?.text).toContain('again\n')
    expect(second).toMatchObject({ exitCode: 0, leftovers: 0 })
    expect(existsSync(ground.path('scratch/script'))).toBe(true)
  })

  it.skipIf(!possible || !hasGit)('uses git, which cannot be redirected to write to a protected path', async () => {
    using ground = openPlayground(elsewhere)
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', ground.path('workspace'), ...args], { env: { PATH: path, HOME: ground.path('home') } })
    git('init', '-q', '-b', 'main')
    const [status, config] = await runAll(ground, [
      'git -c safe.directory="*" status --short',
      `git config core.fsmonitor "touch ${ground.path('out/x')}"`,
    ])
    expect(status).toMatchObject({ exitCode: 0, text: '?? file\n' })
    expect(config?.exitCode).toBeGreaterThan(0)
  })
})
