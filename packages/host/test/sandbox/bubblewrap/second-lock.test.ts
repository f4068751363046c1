import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, closeSync, constants, openSync, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { SandboxLimits } from '../../../src/index.ts'
import { fixturePath } from '../../fixture-process.ts'
import { openPlayground, type Playground } from '../playground.ts'
import { landlock } from './bubblewrap-here.ts'
import { bubblewrapUsers } from './bubblewrap-users.ts'

const run = promisify(execFile)
const path = '/usr/local/bin:/usr/bin:/bin'
const users = bubblewrapUsers.map((user) => ({ ...user, possible: user.possible && landlock !== null }))

interface Ran {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly text: string
}

interface Way {
  readonly more?: Partial<SandboxLimits>
  readonly landlock?: boolean
  readonly terminal?: boolean
}

/** Uses of pipes, devices and sockets that are the command's own, in the order of the report. */
const ownUses: Readonly<Record<string, string>> = {
  stdout: 'echo a > /dev/stdout',
  stderr: 'echo a > /dev/stderr',
  'a descriptor by its path': 'exec 5>/tmp/five; echo a > /dev/fd/5; cat /tmp/five',
  'no output': 'echo a > /dev/null && echo b > /dev/zero && head -c 3 /dev/zero | wc -c',
  'a FIFO of its own': 'mkfifo /tmp/own && (echo a > /tmp/own & cat /tmp/own)',
  'process substitution': 'cat <(echo a) <(cat <(echo b))',
  'a here document': 'cat <<< a',
  'shared memory': 'echo a > /dev/shm/x && mv /dev/shm/x /dev/shm/y && cat /dev/shm/y',
  'moves and links between folders':
    'mkdir -p /tmp/m/n /tmp/o && echo a > /tmp/m/n/x && mv /tmp/m/n/x /tmp/o/y && ln /tmp/o/y /tmp/m/z && mv /tmp/m/n /tmp/o/n && cat /tmp/m/z',
  'files of the own process': 'echo 500 > /proc/self/oom_score_adj && echo -n name > /proc/self/comm && echo a',
  'a pseudo-terminal': `script -qec 'tty > /dev/null && stty size > /dev/null; echo a > /dev/tty' /dev/null`,
  'a pair of sockets': `perl -e 'socketpair(my $x, my $y, 1, 1, 0) or die; syswrite $x, "a"; sysread $y, my $z, 1; print $z'`,
  'a server on localhost': `perl -e 'use Socket; socket(my $s, 2, 1, 0); bind($s, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) or die; listen($s, 1); socket(my $c, 2, 1, 0); connect($c, getsockname($s)) or die; accept(my $a, $s); syswrite $a, "a"; sysread $c, my $z, 1; print $z'`,
  'a program without a first line': `printf 'echo a' > /tmp/p; chmod +x /tmp/p; /tmp/p; exec /tmp/p`,
  'variables and the folder':
    'echo "$PWD $NAMED"; env | cut -d= -f1 | grep -vx -e _ -e SHLVL -e OLDPWD -e PARLEY_MARK | sort | tr "\\n" " "',
  'a program that is missing': 'exec missing-program',
  'an exit code': 'exit 7',
  'an end by a signal': 'kill -TERM $$',
  'signals as they were': `perl -e 'print map { "$_=" . ($SIG{$_} // "") . " " } qw(INT TERM PIPE FPE HUP)'`,
  'a read-only file': 'echo a >> file; mkdir new; touch file',
}

describe.each(users)('in read-only, Landlock inside bubblewrap, as $who,', ({ prefix, possible }) => {
  async function runAll(ground: Playground, scripts: readonly string[], { more = {}, ...way }: Way = {}) {
    const cwd = ground.path('workspace')
    const env = { PATH: path, HOME: ground.path('home'), NAMED: 'a b\nc' }
    const runs = scripts.map((script) => ({ argv: ['timeout', '8', 'bash', '-c', script], cwd, env }))
    const limits = ground.limits({ mode: 'read-only', ...more })
    const order = JSON.stringify({ limits, home: ground.path('home'), ...way, runs })
    const [program = '', ...args] = [...prefix, process.execPath, fixturePath('sandboxed-commands.ts'), order]
    const { stdout } = await run(program, args, { cwd: '/' })
    const ends: readonly Ran[] = JSON.parse(stdout)
    return ends.map(({ exitCode, signal, text }) => ({ exitCode, signal, text }))
  }

  function openGround(): Playground & { readonly fifo: string } {
    const ground = openPlayground('/var/tmp')
    const fifo = ground.path('out/pipe')
    execFileSync('mkfifo', [fifo])
    chmodSync(fifo, 0o666)
    for (const folder of ['.', 'out', 'workspace', 'home', 'scratch']) {
      chmodSync(ground.path(folder), 0o755)
      if (prefix.length > 0) chownSync(ground.path(folder), 65534, 65534)
    }
    return { ...ground, fifo, [Symbol.dispose]: () => ground[Symbol.dispose]() }
  }

  it.skipIf(!possible)('lets no command write into a FIFO of another program', { timeout: 60_000 }, async () => {
    using ground = openGround()
    const reader = openSync(ground.fifo, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const ways = [
        `echo x > ${ground.fifo}`,
        `echo x 1<> ${ground.fifo} > ${ground.fifo}`,
        `ln -s ${ground.fifo} /tmp/link; echo x > /tmp/link`,
        `cd ${ground.path('out')} && echo x > /proc/self/cwd/pipe`,
        `dd if=/dev/zero of=${ground.fifo} bs=1 count=1 oflag=nonblock`,
        `perl -e 'open(my $f, "+<", $ARGV[0]) or exit 3; syswrite $f, "x"' ${ground.fifo}`,
        `setsid sh -c 'echo x > ${ground.fifo}'; bash -c 'exec 7> ${ground.fifo}; echo x >&7'`,
      ]
      const ends = await runAll(ground, ways)
      expect(ends.map(({ exitCode }) => exitCode === 0)).toEqual(ways.map(() => false))
      expect(readSync(reader, Buffer.alloc(8))).toBe(0)
      // The same without the second lock shows that nothing else refuses it.
      const [open] = await runAll(ground, [ways[0] ?? ''], { landlock: false })
      expect(open?.exitCode).toBe(0)
    } finally {
      closeSync(reader)
    }
  })

  it.skipIf(!possible)('leaves all that is its own as it is without it', { timeout: 60_000 }, async () => {
    using ground = openGround()
    const uses = Object.values(ownUses)
    const runOwn = (landlock: boolean) =>
      runAll(
        ground,
        uses.map((use) => `rm -rf /tmp/*; ${use}`),
        { landlock },
      )
    const named = (ends: readonly Ran[]) => Object.keys(ownUses).map((use, nth) => [use, ends[nth]])
    const [locked, open] = [await runOwn(true), await runOwn(false)]
    expect(named(locked)).toEqual(named(open))
    expect(locked.filter(({ exitCode }) => exitCode === 0)).toHaveLength(uses.length - 4)
  })

  it.skipIf(!possible)('leaves the terminal that a command is given', { timeout: 60_000 }, async () => {
    using ground = openGround()
    const uses = [
      'stty size; echo a > /dev/tty; echo b > /dev/stdout; echo c > /dev/stderr',
      'tty; test -t 0 && test -t 1',
    ]
    const [locked, open] = [
      await runAll(ground, uses, { terminal: true }),
      await runAll(ground, uses, { terminal: true, landlock: false }),
    ]
    expect(locked).toEqual(open)
    expect(locked[0]).toMatchObject({ exitCode: 0, text: '24 80\r\na\r\nb\r\nc\r\n' })
  })

  it.skipIf(!possible)('leaves unix sockets that are allowed', { timeout: 60_000 }, async () => {
    using ground = openGround()
    const talk = `perl -e 'use Socket; socket(my $s, 1, 1, 0); bind($s, sockaddr_un("/tmp/s")) or die; listen($s, 1); socket(my $c, 1, 1, 0); connect($c, sockaddr_un("/tmp/s")) or die; print "ok"'`
    expect(await runAll(ground, [talk], { more: { unixSockets: true } })).toMatchObject([{ exitCode: 0, text: 'ok' }])
  })
})
