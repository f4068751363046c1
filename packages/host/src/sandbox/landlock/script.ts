import { markVariable } from '../../system/marks.ts'
import type { SandboxedCommand } from '../sandbox.ts'
import { type InsideSandbox, scratchEnv } from '../scratch.ts'
import type { FilterArch } from '../seccomp/filter.ts'
import { insideRuleset, type Rule } from './rules.ts'

/** Beginning of both scripts: the numbers of calls, the ruleset, the rights to the output, the rules. */
const readRules = String.raw`
sub fail { print STDERR "parley: the sandbox could not be set up ($_[0]: $!)\n"; exit 125 }
my %call = map { my ($name, $number) = split /=/; ($name, $number + 0) } split /,/, shift;
my $attributes = pack 'H*', shift;
my $output = shift() + 0;
my @rules = splice @ARGV, 0, shift;
`

const restrict = String.raw`
my $set = syscall($call{landlock_create_ruleset}, $attributes, length $attributes, 0);
$set >= 0 or fail('Landlock');
sub grant {
    my ($rights, $fd) = @_;
    my $rule = pack 'Ql', $rights, $fd;
    syscall($call{landlock_add_rule}, $set, 1, $rule, 0);
}
for (@rules) {
    my ($rights, $path) = /^(\d+):(.*)\z/s or fail('rules');
    my $fd = reach($path);
    next if $fd < 0;
    grant($rights + 0, $fd);
    syscall($call{close}, $fd);
}
grant($output, $_) for 1, 2;
syscall($call{landlock_restrict_self}, $set, 0) == 0 or fail('Landlock');
syscall($call{close}, $set);
`

const takeEnvironment = String.raw`
my %environment = map { /^([^=]+)=(.*)\z/s } @ENV{grep { /^E\d+\z/ } keys %ENV};
`

const run = String.raw`
%ENV = %environment;
exec { $ARGV[0] } @ARGV;
my $missing = $! == 2;
print STDERR "parley: $ARGV[0]: $!\n";
exit($missing ? 127 : 126);
`

/**
 * Perl script that restricts itself by Landlock and the filter, then becomes the command. Perl needs no compiler and is
 * part of most systems. Writes to descriptor 3 once only the command itself can fail.
 */
export const landlockScript = String.raw`${readRules}
my $filter = pack 'H*', shift;
my $how = pack 'Q3', 0x280000, 0, 4; # O_PATH, O_CLOEXEC; no links anywhere in the path
sub reach { syscall($call{openat2}, -100, $_[0], $how, 24) }

for my $capability (0 .. 63) { last if syscall($call{prctl}, 24, $capability, 0, 0, 0) == -1 && $! == 22 }
syscall($call{prctl}, 47, 4, 0, 0, 0);
my ($header, $none) = (pack('Ll', 0x20080522, 0), "\0" x 24);
syscall($call{capset}, $header, $none) == 0 or fail('capabilities');
syscall($call{prctl}, 38, 1, 0, 0, 0) == 0 or fail('no new privileges');
${restrict}
my $program = pack 'S x6 P', length($filter) / 8, $filter;
syscall($call{seccomp}, 1, 0, $program) == 0 or fail('filter');
${takeEnvironment}
my $ran = 'ran';
syscall($call{write}, 3, $ran, 3);
syscall($call{close}, 3);
${run}`

/** Perl script that restricts itself by Landlock where bubblewrap has done the rest, then becomes the command. */
const insideScript = `${readRules}
sub reach { syscall($call{openat}, -100, $_[0], 0x280000, 0) } # the filter, in force by now, refuses openat2
${restrict}${takeEnvironment}
$environment{PWD} = $ENV{PWD} if !exists $environment{PWD} && exists $ENV{PWD};
${run}`

interface ScriptRules {
  readonly arch: FilterArch
  readonly attributes: Buffer
  readonly rightsOnOutput: number
  readonly rules: readonly Rule[]
}

/** Returns the first arguments of a script, in its order. What follows the rules is its own. */
export function scriptArguments({ arch, attributes, rightsOnOutput, rules }: ScriptRules): string[] {
  const lines = rules.map(({ rights, path }) => `${rights}:${path}`)
  return [callNumbers(arch), attributes.toString('hex'), String(rightsOnOutput), String(lines.length), ...lines]
}

/** Landlock of the machine, and the program that applies it. */
export interface LandlockHere {
  /** Absolute path of Perl, from where commands cannot write. */
  readonly program: string
  /** Version of the kernel's Landlock. */
  readonly version: number
}

/**
 * Returns the words that make a command in `read-only` give up writing to FIFOs and devices elsewhere, which a
 * read-only mount leaves open. They take 2 to 3 ms, so commands that may write go without.
 */
export function writeLimits({ program, version }: LandlockHere, arch: FilterArch): string[] {
  return [program, '-f', '-e', insideScript, ...scriptArguments({ arch, ...insideRuleset(version) })]
}

const sameOnBoth = {
  landlock_create_ruleset: 444,
  landlock_add_rule: 445,
  landlock_restrict_self: 446,
  openat2: 437,
} as const

const numbers = {
  x64: { ...sameOnBoth, openat: 257, write: 1, close: 3, prctl: 157, capset: 126, seccomp: 317 },
  arm64: { ...sameOnBoth, openat: 56, write: 64, close: 57, prctl: 167, capset: 91, seccomp: 277 },
} as const satisfies Record<FilterArch, Readonly<Record<string, number>>>

/** Returns the numbers of the script's system calls in the form of its argument. */
function callNumbers(arch: FilterArch): string {
  return Object.entries(numbers[arch])
    .map(([name, number]) => `${name}=${number}`)
    .join(',')
}

/**
 * Returns the env of the command in the form that the script takes. The mark is also there by its own name, because a
 * sweep may come while the script still runs.
 */
export function hiddenEnv({ env }: SandboxedCommand, inside: InsideSandbox): Record<string, string> {
  // Perl or the linker would obey some variables under their own names, before the limits are in force.
  const hidden = Object.entries(scratchEnv(env, inside)).map(
    ([name, value], index) => [`E${index}`, `${name}=${value}`] as const,
  )
  const mark = env[markVariable]
  return { ...Object.fromEntries(hidden), ...(mark === undefined ? {} : { [markVariable]: mark }) }
}
