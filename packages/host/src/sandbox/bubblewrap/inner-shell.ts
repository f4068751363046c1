import type { SandboxOutcome } from '../sandbox.ts'

/** Size limit of a file that a command writes: 16 GiB, in the blocks of `ulimit`. */
const fileBlocks = 16 * 2 ** 21
/** Limit of processes and threads. */
const maxTasks = 2048

/** Exit code of a command that was not run because the mounts are not the planned ones. */
export const mountsDiffer = 125

interface InnerShellOptions {
  /** Entries that the mount table must contain (`mountedOverItself`). */
  readonly mounts: readonly string[]
  /** Folders by their paths, which are open as the descriptors from `reportFd` on; the command does not get these. */
  readonly pinned: readonly string[]
  /** Path of `cat`, to read a long table; null lets the shell read it. */
  readonly cat: string | null
  /**
   * Network in which to count packets without a route: the command's own loopback, or a shared one, by the difference
   * of counts.
   */
  readonly watchNetwork: 'no' | 'own' | 'shared'
  /**
   * True to limit processes. Before Linux 5.14 all of the user's processes would count, also outside of the sandbox.
   */
  readonly limitTasks: boolean
}

/** Descriptor of the report, which the command does not get. */
export const reportFd = 3

/**
 * Returns the script of the first process of the namespace: it checks mounts, sets limits, runs the command and reports
 * what that left. Its end ends all the rest, and only then bwrap.
 */
export function innerShell({ mounts, pinned, cat, watchNetwork, limitTasks }: InnerShellOptions): string {
  const limits = ['ulimit -c 0', `ulimit -f ${fileBlocks}`, ...(limitTasks ? [tasks] : [])]
  return [
    silence,
    stay,
    `replaced() { echo ${quoted(wasReplaced)} >&9; exit ${mountsDiffer}; }`,
    ...check(mounts, cat),
    ...comparePinned(pinned),
    ...limits,
    `echo began >&${reportFd}`,
    ...(watchNetwork === 'shared' ? [network] : []),
    run,
    count,
    ...(watchNetwork === 'no' ? [] : [network]),
    'exit $code',
  ].join('\n')
}

// Otherwise the shell prints which signal ended the command.
const silence = 'exec 9>&2 2>/dev/null'

// A first process ignores signals without a handler, so a signal to its group reaches the command alone. Some shells still
// end by INT. A handler, because the command would inherit an ignored signal.
const stay = 'trap : INT'

/**
 * Returns a check of the mounts. bwrap mounts by path, and a running command could put a link to a secret or to a
 * protected folder there after the plan was made.
 */
function check(mounts: readonly string[], cat: string | null): string[] {
  if (mounts.length === 0) return []
  const read =
    cat === null
      ? `table=; while read -r line; do table="$table$line
"; done </proc/self/mountinfo`
      : `table=$(${quoted(cat)} /proc/self/mountinfo)`
  const arms = mounts.map((mount) => `case $table in *${quoted(mount)}*) ;; *) replaced ;; esac`)
  return [read, ...arms]
}

/**
 * Returns commands that compare mounts with the open folders, by device and inode: another folder may have got the
 * path. Closes the descriptors, which lead out of the sandbox.
 */
function comparePinned(pinned: readonly string[]): string[] {
  const fds = pinned.map((path, index) => ({ path, fd: reportFd + 1 + index }))
  return [
    ...fds.map(({ path, fd }) => `[ ${quoted(path)} -ef /proc/self/fd/${fd} ] || replaced`),
    ...(fds.length === 0 ? [] : [`exec ${fds.map(({ fd }) => `${fd}>&-`).join(' ')}`]),
  ]
}

const wasReplaced = 'parley: the sandbox could not be set up: a folder was exchanged meanwhile; nothing was run'

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

// Named differently by dash and bash.
const tasks = `ulimit -u ${maxTasks} || ulimit -p ${maxTasks}`

// `exec`, because the name may be one of the shell's builtins.
const run = `(exec "$@" 2>&9 9>&- ${reportFd}>&-)
code=$?`

// The second word after the name is the state; the ninth has PF_EXITING. A command chooses the name, which may hold line
// ends, parentheses and `*`: what follows the last `) ` of the last line is the system's. Arithmetic would evaluate a word.
const count = `left=0
for entry in /proc/[0-9]*; do
  set -f
  [ $entry != /proc/1 ] || continue
  stat=
  while read -r line; do stat=$line; done <$entry/stat
  set -- \${stat##*) }
  case $1 in ''|Z|X) continue ;; esac
  case $7 in ''|*[!0-9]*) ;; *) [ $(($7 & 4)) -eq 0 ] || continue ;; esac
  left=$((left + 1))
done
echo "left $left" >&${reportFd}`

const network = `while read -r line; do
  case $line in
    Ip:*|Udp:*) echo "$line" >&${reportFd} ;;
    UdpLite:*) break ;;
  esac
done </proc/net/snmp
while read -r name count; do
  case $name in Ip6OutNoRoutes) echo "$name $count" >&${reportFd}; break ;; esac
done </proc/net/snmp6`

/** Returns the outside id of the first process inside, which leads the command's group. `status` is the output of bwrap. */
export function readFirstProcess(status: string): number | null {
  const pid = /^\{ "child-pid": (\d+)/.exec(status)?.[1]
  return pid === undefined ? null : Number(pid)
}

/**
 * Reads the end of a command. The command can falsify `report`, which the inner shell wrote, but not `status`: there
 * bwrap itself states whether the command ran.
 */
export function readOutcome(status: string, report: string): SandboxOutcome {
  const ran = status.includes('"exit-code"') || report.startsWith('began')
  const leftovers = Number(/^left (\d{1,9})$/m.exec(report)?.[1] ?? 0)
  const [before = '', after = ''] = report.split(/^left \d{1,9}$/m)
  const lost = sentNowhere(after)
  return { ran: ran, leftovers, ...(lost === null ? {} : { triedNetwork: lost > (sentNowhere(before) ?? 0) }) }
}

/** Counts packets without a route and unanswered look-ups; null when they were not reported. */
function sentNowhere(report: string): number | null {
  const lines = report.split('\n')
  const noRoute = tableValue(lines, 'Ip:', 'OutNoRoutes')
  if (noRoute === null) return null
  const noRoute6 = Number(/^Ip6OutNoRoutes (\d+)$/m.exec(report)?.[1] ?? 0)
  return noRoute + noRoute6 + (tableValue(lines, 'Udp:', 'NoPorts') ?? 0)
}

/** Returns a value from a table of two lines: names and values. */
function tableValue(lines: readonly string[], table: string, name: string): number | null {
  const [names = [], values = []] = lines.filter((line) => line.startsWith(`${table} `)).map((line) => line.split(' '))
  const value = Number(values[names.indexOf(name)] ?? Number.NaN)
  return Number.isNaN(value) ? null : value
}
