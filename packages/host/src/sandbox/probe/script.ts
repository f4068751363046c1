import type { SandboxLimits } from '../sandbox.ts'

/** Results of the probe, found from inside of its limits. */
export interface ProbeFindings {
  readonly wroteInside: boolean
  readonly wroteOutside: boolean
  readonly readSecret: boolean
  /** Result of a connection to the machine's loopback, or of a unix socket: `ok` or an error code. */
  readonly tcp: string
  readonly unix: string
  /** True when the kernel filters its system calls. */
  readonly filtered: boolean
  /** True when a FIFO outside could be opened for writing, were there a reader. */
  readonly openedPipe: boolean
}

/** Programs that can run the probe, by their paths inside of its limits. */
interface Interpreters {
  readonly perl: string | null
  readonly node: string
}

/**
 * Returns the probe as a command. Arguments of the scripts: a folder inside, one outside, a file with a secret, its
 * text, a port, a FIFO outside. Perl starts ten times as fast as Node, which is always there.
 */
export function probeCommand({ perl, node }: Interpreters, args: readonly string[]): string[] {
  return perl === null ? [node, '-e', forNode, ...args] : [perl, '-f', '-e', forPerl, ...args]
}

/** Perl that loads no module: socket families, types and errors are numbers, except EPERM. */
const forPerl = String.raw`
use strict;
my ($inside, $outside, $secret, $text, $port, $pipe) = @ARGV;
sub told { my ($ok) = @_; return $ok ? 'ok' : $! == 1 ? 'EPERM' : 'errno ' . ($! + 0) }
sub holds { my ($path, $text) = @_; open(my $file, '<', $path) or return 0; local $/; return index(<$file>, $text) >= 0 }
# Without a reader it is ENXIO (6) where nothing forbids it; 2049 is to write without waiting.
sub opened { sysopen(my $file, $_[0], 2049) or return $! == 6; return 1 }
sub wrote { open(my $file, '>', "$_[0]/written") or return 0; return 1 }
my ($internet, $local);
my $tcp = told(socket($internet, 2, 1, 0) && connect($internet, pack 'S n C4 x8', 2, $port, 127, 0, 0, 1));
my $unix = told(socket($local, 1, 1, 0));
my %flags = (
  wroteInside => wrote($inside),
  wroteOutside => wrote($outside),
  readSecret => holds($secret, $text),
  filtered => holds('/proc/self/status', "Seccomp:\t2"),
  openedPipe => opened($pipe),
);
my $flags = join ',', map { "\"$_\":" . ($flags{$_} ? 'true' : 'false') } keys %flags;
print qq({$flags,"tcp":"$tcp","unix":"$unix"});
`

const forNode = `
const { constants, openSync, readFileSync, writeFileSync } = require('node:fs')
const { connect, createServer } = require('node:net')
const [inside, outside, secret, text, port, pipe] = process.argv.slice(1)
const attempt = (action) => { try { return action() } catch { return false } }
const settled = (thing, good) => new Promise((resolve) => {
  thing.once(good, () => resolve('ok'))
  thing.once('error', (error) => resolve(error.code ?? 'unknown'))
})
const write = (folder) => attempt(() => { writeFileSync(folder + '/written', ''); return true })
const opens = (path) => {
  try { openSync(path, constants.O_WRONLY | constants.O_NONBLOCK); return true } catch (error) { return error.code === 'ENXIO' }
}
const tries = [
  settled(connect(Number(port), '127.0.0.1'), 'connect'),
  attempt(() => settled(createServer().listen('\\0parley-' + process.pid), 'listening')) || 'refused',
]
Promise.all(tries).then(([tcp, unix]) => {
  const findings = {
    wroteInside: write(inside),
    wroteOutside: write(outside),
    readSecret: attempt(() => readFileSync(secret, 'utf8').includes(text)),
    tcp,
    unix,
    filtered: attempt(() => readFileSync('/proc/self/status', 'latin1').includes('Seccomp:\\t2')),
    openedPipe: opens(pipe),
  }
  process.stdout.write(JSON.stringify(findings), () => process.exit(0))
})
`

export function parseFindings(text: string): ProbeFindings | null {
  try {
    const value: unknown = JSON.parse(text)
    return isFindings(value) ? value : null
  } catch {
    return null
  }
}

function isFindings(value: unknown): value is ProbeFindings {
  if (typeof value !== 'object' || value === null) return false
  const flags = ['wroteInside', 'wroteOutside', 'readSecret', 'filtered', 'openedPipe'] as const
  const codes = ['tcp', 'unix'] as const
  const fields = new Map<string, unknown>(Object.entries(value))
  return (
    flags.every((name) => typeof fields.get(name) === 'boolean') &&
    codes.every((name) => typeof fields.get(name) === 'string')
  )
}

/** Lists the limits that did not hold, each as the rest of "it did not …". */
export function judgeFindings(
  findings: ProbeFindings,
  mode: SandboxLimits['mode'],
  { filtered, closesPipes }: { readonly filtered: boolean; readonly closesPipes: boolean },
): string[] {
  const writes = mode === 'workspace-write'
  const problems: readonly (readonly [boolean, string])[] = [
    [findings.wroteInside !== writes, writes ? 'let it write to its own folder' : 'keep it from writing'],
    [findings.wroteOutside, 'keep it from writing elsewhere'],
    [closesPipes && !writes && findings.openedPipe, 'keep it from writing to a named pipe'],
    [findings.readSecret, 'hide a secret from it'],
    [findings.tcp === 'ok', 'keep it from the network'],
    [filtered && !(findings.filtered && findings.unix === 'EPERM'), 'filter its system calls'],
  ]
  return problems.filter(([isProblem]) => isProblem).map(([, text]) => text)
}
