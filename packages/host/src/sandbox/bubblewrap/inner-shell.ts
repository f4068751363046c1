import type { SandboxOutcome } from '../sandbox.ts'

/** Every file that a command writes ends here: 16 GiB, in the blocks of `ulimit`. */
const fileBlocks = 16 * 2 ** 21
/** Processes and threads. */
const maxTasks = 2048

/** Exit code of a command that was not run, since what is mounted is not what was meant. */
export const mountsDiffer = 125

interface InnerShellOptions {
  /** What must stand in the table of mounts (`mountedOverItself`). */
  readonly mounts: readonly string[]
  /** `cat` by its path, to read a long table; null lets the shell read it. */
  readonly cat: string | null
  /** Whether to say what it sent nowhere: it has no network but its own. */
  readonly watchNetwork: boolean
  /** Before Linux 5.14 all of the user's processes count, not just those of the sandbox. */
  readonly limitTasks: boolean
}

/** The descriptor of `reportFile`, which the command does not get. */
export const reportFd = 3

/**
 * The first process of the namespace: looks whether it is set up as was meant, sets limits, runs the command, counts
 * what it left and says so. When it ends the kernel ends all that is left, and only then does bwrap end. As a first
 * process it takes no signal that it does not handle, so what is sent to its group reaches the command alone.
 */
export function innerShell({ mounts, cat, watchNetwork, limitTasks }: InnerShellOptions): string {
  const limits = ['ulimit -c 0', `ulimit -f ${fileBlocks}`, ...(limitTasks ? [tasks] : [])]
  return [
    silence,
    stay,
    ...check(mounts, cat),
    ...limits,
    run,
    count,
    ...(watchNetwork ? [network] : []),
    'exit $code',
  ].join('\n')
}

// The shell would say of itself which signal has ended the command.
const silence = 'exec 9>&2 2>/dev/null'

// Some shells end by it. Not ignored: that the command would inherit.
const stay = 'trap : INT'

/**
 * bwrap takes what it mounts by its path, and a command that runs already could put a link there after we have looked:
 * to a secret, or to where it may not write.
 */
function check(mounts: readonly string[], cat: string | null): string[] {
  if (mounts.length === 0) return []
  const read =
    cat === null
      ? `table=; while read -r line; do table="$table$line
"; done </proc/self/mountinfo`
      : `table=$(${quoted(cat)} /proc/self/mountinfo)`
  const arms = mounts.map((mount) => `case $table in *${quoted(mount)}*) ;; *) exchanged ;; esac`)
  return [`exchanged() { echo ${quoted(wasExchanged)} >&9; exit ${mountsDiffer}; }`, read, ...arms]
}

const wasExchanged = 'parley: the sandbox could not be set up: a folder was exchanged meanwhile; nothing was run'

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

// Named differently by dash and bash.
const tasks = `ulimit -u ${maxTasks} || ulimit -p ${maxTasks}`

// `exec`, because a name may also be one of the shell's own.
const run = `echo began >&${reportFd}
(exec "$@" 2>&9 9>&- ${reportFd}>&-)
code=$?`

// The second word after the name is the state; the ninth has PF_EXITING.
const count = `left=0
for entry in /proc/[0-9]*; do
  [ $entry != /proc/1 ] && read -r stat <$entry/stat || continue
  set -- \${stat##*) }
  case $1 in Z|X) continue ;; esac
  [ $(($7 & 4)) -eq 0 ] && left=$((left + 1))
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

/** The id outside of the first process inside, which leads the command's group; null before there is one. `status` is what bwrap wrote. */
export function readFirstProcess(status: string): number | null {
  const pid = /^\{ "child-pid": (\d+)/.exec(status)?.[1]
  return pid === undefined ? null : Number(pid)
}

/**
 * `report` is what the inner shell wrote. The command can get at it and so hide what it left or pretend more; that it
 * ran at all it cannot hide, because bwrap itself tells that.
 */
export function readOutcome(status: string, report: string): SandboxOutcome {
  const ran = status.includes('"exit-code"') || report.startsWith('began')
  const leftovers = Number(/^left (\d{1,9})$/m.exec(report)?.[1] ?? 0)
  const lost = sentNowhere(report)
  return { ran: ran, leftovers, ...(lost === null ? {} : { triedNetwork: lost > 0 }) }
}

/** Packets that had no way out, and look-ups that nobody answers; null when that was not counted. */
function sentNowhere(report: string): number | null {
  const lines = report.split('\n')
  const noRoute = tableValue(lines, 'Ip:', 'OutNoRoutes')
  if (noRoute === null) return null
  const noRoute6 = Number(/^Ip6OutNoRoutes (\d+)$/m.exec(report)?.[1] ?? 0)
  return noRoute + noRoute6 + (tableValue(lines, 'Udp:', 'NoPorts') ?? 0)
}

/** Of two lines, the first with the names. */
function tableValue(lines: readonly string[], table: string, name: string): number | null {
  const [names = [], values = []] = lines.filter((line) => line.startsWith(`${table} `)).map((line) => line.split(' '))
  const value = Number(values[names.indexOf(name)] ?? Number.NaN)
  return Number.isNaN(value) ? null : value
}
