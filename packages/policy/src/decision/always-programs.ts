/** Of programs that build and test, what may become a habit; of their other subcommands nothing is to. */
const habits = wordsBy({
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
 * Those that hand on what stands behind `--`. Before it a further word may be an option that runs what it is given
 * (`cargo test --config`, `npm test --node-options`, `go build -toolexec`), so up to there a rule has every word.
 */
const handOn = wordsBy({ npm: 'test t run', pnpm: 'test t run', cargo: 'test t bench' })

/**
 * Programs that run what they are given or fetch, reach other machines, or take things away: no file of rules should
 * come to allow them by one key. Who wants that writes the rule.
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

/** By family: `python3.12`, `mkfs.ext4`, `pip3.11`. */
const neverLike = /^(?:bash|zsh|dash|ksh|python|pypy|pip|perl|ruby|php|lua|node|mkfs|fsck|gcc-|qemu)[-.\d]/

/** How many words of this command a rule should begin with: all for `exact`; null when no rule is to be offered. */
export function wordsForAlways(argv: readonly string[]): { readonly count: number; readonly exact: boolean } | null {
  const [program = '', subcommand = '', script = ''] = argv
  if (never.has(program) || neverLike.test(program) || program === 'git') return null
  const habit = habits.get(program)
  if (habit !== undefined && !habit.has(subcommand)) return null
  if (habit !== undefined && subcommand === 'run' && !/^[\w:.][\w:.-]*$/.test(script)) return null
  const handedOn = handOn.get(program)?.has(subcommand) ? argv.indexOf('--') + 1 : 0
  return handedOn === 0 ? { count: argv.length, exact: true } : { count: handedOn, exact: false }
}
