import { markVariable } from '../../system/marks.ts'
import type { SandboxedCommand } from '../sandbox.ts'
import { type Inside, scratchEnv } from '../scratch.ts'
import type { FilterArch } from '../seccomp/filter.ts'

/**
 * Perl script that restricts itself by Landlock and the filter, then becomes the command. Perl needs no compiler and is
 * part of most systems. Writes to descriptor 3 once only the command itself can fail.
 */
export const landlockScript = String.raw`
sub fail { print STDERR "parley: the sandbox could not be set up ($_[0]: $!)\n"; exit 125 }
my %call = map { my ($name, $number) = split /=/; ($name, $number + 0) } split /,/, shift;
my $attributes = pack 'H*', shift;
my $filter = pack 'H*', shift;
my $output = shift() + 0;
my @rules = splice @ARGV, 0, shift;

for my $capability (0 .. 63) { last if syscall($call{prctl}, 24, $capability, 0, 0, 0) == -1 && $! == 22 }
syscall($call{prctl}, 47, 4, 0, 0, 0);
my ($header, $none) = (pack('Ll', 0x20080522, 0), "\0" x 24);
syscall($call{capset}, $header, $none) == 0 or fail('capabilities');
syscall($call{prctl}, 38, 1, 0, 0, 0) == 0 or fail('no new privileges');

my $set = syscall($call{landlock_create_ruleset}, $attributes, length $attributes, 0);
$set >= 0 or fail('Landlock');
sub grant {
    my ($rights, $fd) = @_;
    my $rule = pack 'Ql', $rights, $fd;
    syscall($call{landlock_add_rule}, $set, 1, $rule, 0);
}
my $how = pack 'Q3', 0x280000, 0, 4; # O_PATH, O_CLOEXEC; no links anywhere in the path
for (@rules) {
    my ($rights, $path) = /^(\d+):(.*)\z/s or fail('rules');
    my $fd = syscall($call{openat2}, -100, $path, $how, 24);
    next if $fd < 0;
    grant($rights + 0, $fd);
    syscall($call{close}, $fd);
}
grant($output, $_) for 1, 2;
syscall($call{landlock_restrict_self}, $set, 0) == 0 or fail('Landlock');
syscall($call{close}, $set);

my $program = pack 'S x6 P', length($filter) / 8, $filter;
syscall($call{seccomp}, 1, 0, $program) == 0 or fail('filter');

my %environment = map { /^([^=]+)=(.*)\z/s } @ENV{grep { /^E\d+\z/ } keys %ENV};
%ENV = %environment;
my $ran = 'ran';
syscall($call{write}, 3, $ran, 3);
syscall($call{close}, 3);
exec { $ARGV[0] } @ARGV;
my $missing = $! == 2;
print STDERR "parley: $ARGV[0]: $!\n";
exit($missing ? 127 : 126);
`

const sameOnBoth = {
  landlock_create_ruleset: 444,
  landlock_add_rule: 445,
  landlock_restrict_self: 446,
  openat2: 437,
} as const

const numbers = {
  x64: { ...sameOnBoth, write: 1, close: 3, prctl: 157, capset: 126, seccomp: 317 },
  arm64: { ...sameOnBoth, write: 64, close: 57, prctl: 167, capset: 91, seccomp: 277 },
} as const satisfies Record<FilterArch, Readonly<Record<string, number>>>

/** Returns the numbers of the script's system calls in the form of its argument. */
export function callNumbers(arch: FilterArch): string {
  return Object.entries(numbers[arch])
    .map(([name, number]) => `${name}=${number}`)
    .join(',')
}

/**
 * Returns the env of the command in the form that the script takes. The mark is also there by its own name, because a
 * sweep may come while the script still runs.
 */
export function hiddenEnv({ env }: SandboxedCommand, inside: Inside): Record<string, string> {
  // Perl or the linker would obey some variables under their own names, before the limits are in force.
  const hidden = Object.entries(scratchEnv(env, inside)).map(
    ([name, value], index) => [`E${index}`, `${name}=${value}`] as const,
  )
  const mark = env[markVariable]
  return { ...Object.fromEntries(hidden), ...(mark === undefined ? {} : { [markVariable]: mark }) }
}
