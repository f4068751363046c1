import type { RuleTarget, WiderRight } from '../../rules/rules.ts'
import { type CommandFacts, type CommandPart, isInstalled } from './facts.ts'

/** Returns the targets of rules that would allow the command in future, or null when no such rule may be offered. */
export function alwaysTargetsOf(facts: CommandFacts): readonly RuleTarget[] | null {
  if (!facts.understood || facts.dangerous !== null || facts.touchesSecret !== null) return null
  if (facts.background) return null
  if (facts.escalation !== null) return widerTargets(facts, 'outsideSandbox')
  if (facts.network !== undefined) return widerTargets(facts, 'network')
  const questioned = facts.parts.filter((part) => !part.knownSafe)
  const targets = questioned.map((part) => targetFor(part, questioned.length > 1))
  const found = targets.filter((target) => target !== null)
  return found.length === targets.length ? distinct(found) : null
}

/** Returns the target of a rule that gives the right to this command, which must stand alone. */
function widerTargets({ parts }: CommandFacts, right: WiderRight): readonly RuleTarget[] | null {
  const [part, ...others] = parts
  if (part === undefined || others.length > 0 || !isPlainlyInstalled(part)) return null
  const [program = '', subcommand = ''] = part.argv
  const isAnyUse = right === 'outsideSandbox' && anyUseOutside.get(program)?.has(subcommand) === true
  const offered = right === 'network' ? exactWithNetwork : exactOutside
  if (!isAnyUse && !offered.get(program)?.has(subcommand)) return null
  const words = isAnyUse ? [program, subcommand] : part.argv
  const target = { kind: 'command' as const, prefix: words.map((word) => [word]), grants: [right] }
  return [isAnyUse ? target : { ...target, exact: true as const }]
}

/** Returns whether the command is an installed program with words that a reader cannot mistake. */
function isPlainlyInstalled(part: CommandPart): boolean {
  return isInstalled(part) && /^[\w.+-]+$/.test(part.program) && part.argv.every((word) => plainWord.test(word))
}

/** Words of printable ASCII, which look the same to every reader of the policy file. */
const plainWord = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Returns the target for one command. A command among others is allowed with exactly its words. */
function targetFor(part: CommandPart, isAmongOthers: boolean) {
  const { argv } = part
  const words = isPlainlyInstalled(part) ? wordsForAlways(argv) : null
  if (words === null) return null
  const exact = words.exact || isAmongOthers
  const prefix = (exact ? argv : argv.slice(0, words.count)).map((word) => [word])
  return exact ? { kind: 'command' as const, prefix, exact } : { kind: 'command' as const, prefix }
}

function distinct(targets: readonly RuleTarget[]): readonly RuleTarget[] {
  return [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()]
}

/** Subcommands of build and test tools that may be allowed permanently. */
const permanentSubcommands = wordsBy({
  npm: 'test t run',
  pnpm: 'test t run',
  yarn: 'test run',
  cargo: 'build b check c test t bench clippy fmt doc',
  go: 'build test vet',
  dotnet: 'build test',
  mvn: 'test compile verify package',
  gradle: 'test build check',
  swift: 'build test',
  mix: 'test compile format',
  zig: 'build fmt',
})

/**
 * Subcommands that pass on everything after `--`. Before it another word may be an option that runs its value (`cargo
 * test --config`, `npm test --node-options`, `go build -toolexec`), so a rule contains every word up to `--`.
 */
const passOn = wordsBy({ npm: 'test t run', pnpm: 'test t run', cargo: 'test t bench' })

/**
 * Commands that may be allowed outside of the sandbox with any words behind: their options run nothing but what git's
 * settings and hooks name, which commands cannot change.
 */
const anyUseOutside = wordsBy({ git: 'add commit' })
/** Commands that may be allowed outside of the sandbox with exactly their words. */
const exactOutside = wordsBy({ git: 'fetch push' })
/** Commands that may be allowed with the network, inside the sandbox and with exactly their words. */
const exactWithNetwork = wordsBy({
  npm: 'install i ci test t run outdated view',
  pnpm: 'install i test t run outdated',
  yarn: 'install test run',
  cargo: 'fetch build b check c test t bench clippy doc update',
  go: 'mod get build test vet',
  dotnet: 'restore build test',
  mvn: 'test compile verify package',
  gradle: 'test build check',
  swift: 'build test',
  mix: 'deps.get test compile',
})

/**
 * Programs that run other programs, download, reach other machines or delete. One key press never allows them
 * permanently; the user writes the rule instead.
 */
const never: ReadonlySet<string> = new Set(
  [
    'sh bash zsh dash ksh ash fish csh tcsh pwsh busybox toybox',
    'env xargs sudo doas su runuser nice ionice nohup setsid timeout time stdbuf parallel watch entr script unbuffer',
    'command builtin exec eval source . alias trap export set unset hash',
    'chroot unshare nsenter bwrap firejail flock strace ltrace gdb lldb systemd-run at batch crontab',
    'chrt taskset numactl prlimit setpriv setarch runcon sg newgrp pkexec run0 xvfb-run fakeroot proot valgrind perf hyperfine',
    'python python2 python3 node deno bun perl ruby php lua luajit tclsh Rscript julia java awk gawk mawk nawk sed ed ex vi vim nvim emacs less more man',
    'ts-node tsx zx osascript swipl ghci erl iex scala groovy irb pry sqlite3 psql mysql',
    'nix nix-shell guix conda mamba poetry pipenv pdm rye bundle composer corepack',
    'npx bunx pnpx uvx pipx pip pip3 uv gem make cmake ninja just task ant rake',
    'ssh scp sftp rsync curl wget nc ncat netcat socat telnet ftp aria2c openssl gpg',
    'docker podman nerdctl kubectl helm terraform ansible vagrant gh aws gcloud az',
    'find fd rm rmdir unlink shred srm dd truncate mkfs mount umount chmod chown chgrp chattr setfacl ln mv install tee',
    'kill pkill killall systemctl service launchctl osascript open xdg-open',
  ].flatMap((line) => line.split(' ')),
)

function wordsBy(words: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(words).map(([name, list]) => [name, new Set(list.split(' '))]))
}

/** Families of such programs: `python3.12`, `mkfs.ext4`, `pip3.11`. */
const neverLike = /^(?:bash|zsh|dash|ksh|python|pypy|pip|perl|ruby|php|lua|node|mkfs|fsck|gcc-|qemu)[-.\d]/

/** Returns how many words of the command a rule begins with, all of them when exact; null when no rule is offered. */
function wordsForAlways(argv: readonly string[]): { readonly count: number; readonly exact: boolean } | null {
  const [program = '', subcommand = '', script = ''] = argv
  if (never.has(program) || neverLike.test(program) || program === 'git') return null
  const permanent = permanentSubcommands.get(program)
  if (permanent !== undefined && !permanent.has(subcommand)) return null
  if (permanent !== undefined && subcommand === 'run' && !/^[\w:.][\w:.-]*$/.test(script)) return null
  const passedOn = passOn.get(program)?.has(subcommand) ? argv.indexOf('--') + 1 : 0
  return passedOn === 0 ? { count: argv.length, exact: true } : { count: passedOn, exact: false }
}
