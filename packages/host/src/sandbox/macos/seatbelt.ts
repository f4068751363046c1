import { reservedNames } from '../../paths/auto-run-names.ts'
import { watchNewRepositories } from '../../paths/new-repositories.ts'
import { allClosed, type ClosedPaths, findSandboxGuards } from '../../paths/sandbox-guards.ts'
import { isWithin } from '../../system/real-path.ts'
import { assertStartable } from '../../system/spawn-failure.ts'
import type { GuardedHost, Sandbox, SandboxLimits } from '../sandbox.ts'
import { openScratch, scratchEnv } from '../scratch.ts'

export interface SeatbeltMachine {
  readonly host: GuardedHost
  /** Absolute path of `sandbox-exec`. */
  readonly program: string
}

/**
 * Prepares limits by the sandbox of macOS. It has no loopback of its own, so a test server needs the network, and no
 * namespace of processes.
 */
export async function prepareSeatbelt(limits: SandboxLimits, machine: SeatbeltMachine): Promise<Sandbox> {
  const roots = limits.mode === 'workspace-write' ? limits.writableRoots : []
  const guarded = allClosed(await findSandboxGuards(roots, machine.host))
  const { scratch, release } = await openScratch(limits)
  const { text, parameters } = seatbeltProfile(limits, { scratch, guarded })
  const lookAtMade = watchNewRepositories(limits.looksAtEnd === false ? [] : roots, machine.host)
  let isStarted = false
  const definitions = Object.entries(parameters).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  return {
    limits,
    wrap(command) {
      assertStartable(command)
      isStarted = true
      const argv = [machine.program, '-p', text, ...definitions, '--', ...command.argv]
      return { argv, env: scratchEnv(command.env, { folder: scratch, network: limits.network }), cwd: command.cwd }
    },
    release() {
      release()
      const exchanged = isStarted ? lookAtMade() : []
      if (exchanged.length > 0) machine.host.onExchanged?.(exchanged.map(({ text }) => text))
      return exchanged
    },
  }
}

export interface Profile {
  readonly text: string
  /** Values for `-D NAME=value`, because a path is never part of the text. */
  readonly parameters: Readonly<Record<string, string>>
}

const base = `(version 1)
(deny default)
(allow process-exec) (allow process-fork)
(allow signal (target same-sandbox)) (allow process-info* (target same-sandbox))
(allow sysctl-read) (allow ipc-posix-sem) (allow pseudo-tty)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.logd"))
(allow file-read*)
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))`

/** Rules for the network, with the services that resolve names and check certificates. */
const network = `(allow network*) (allow system-socket)
(allow mach-lookup (global-name "com.apple.trustd.agent") (global-name "com.apple.networkd")
  (global-name "com.apple.SystemConfiguration.DNSConfiguration") (global-name "com.apple.SystemConfiguration.configd"))`

const unixSockets = `(allow system-socket (socket-domain AF_UNIX))
(allow network-bind (local unix-socket)) (allow network-outbound (remote unix-socket))`

/** Returns a profile for `sandbox-exec`, which denies by default; a later line overrides an earlier one. */
export function seatbeltProfile(
  limits: SandboxLimits,
  { scratch, guarded }: { readonly scratch: string; readonly guarded: ClosedPaths },
): Profile {
  const roots = limits.mode === 'workspace-write' ? limits.writableRoots : []
  const parameters: Record<string, string> = {}
  const named = (prefix: string, paths: readonly string[]) =>
    paths.map((path, index) => {
      parameters[`${prefix}_${index}`] = path
      return `(subpath (param "${prefix}_${index}"))`
    })
  const masked = named('MASKED', limits.masked)
  const writable = [...named('SCRATCH', [scratch]), ...named('ROOT', roots)]
  const shown = limits.readable ?? []
  const within = [...roots, ...shown]
  const maskedAgain = masked.filter((_, index) => within.some((root) => isWithin(limits.masked[index] ?? '', root)))
  const readable = named('READABLE', shown)
  const kept = named('KEPT', [...guarded.kept, ...guarded.missing])
  const work = named('WORK', guarded.writable)
  const inWork = [...guarded.kept, ...guarded.missing].filter((path) =>
    guarded.writable.some((at) => isWithin(path, at)),
  )
  const keptAgain = named('KEPT_AGAIN', inWork)
  const text = [
    base,
    ...denied(masked),
    ...(readable.length === 0 ? [] : [`(allow file-read* ${readable.join(' ')})`]),
    `(allow file-read* file-write* ${writable.join(' ')})`,
    ...(kept.length === 0 ? [] : [`(deny file-write* ${kept.join(' ')})`]),
    ...(work.length === 0 ? [] : [`(allow file-write* ${work.join(' ')})`]),
    ...(keptAgain.length === 0 ? [] : [`(deny file-write* ${keptAgain.join(' ')})`]),
    ...denied(maskedAgain),
    ...(roots.length === 0 ? [] : protection(named('ROOT', roots))),
    ...(limits.network ? [network] : []),
    ...(limits.unixSockets ? [unixSockets] : []),
  ].join('\n')
  return { text: `${text}\n`, parameters }
}

function denied(places: readonly string[]): string[] {
  return places.length === 0 ? [] : [`(deny file-read* file-write* ${places.join(' ')})`]
}

/**
 * Protects `.git` anywhere, because its settings and hooks are run, and the other names outside of `node_modules`. Both
 * cases of letters, because the file system of a Mac ignores case.
 */
function protection(roots: readonly string[]): string[] {
  const inRoots = `(require-any ${roots.join(' ')})`
  const others = reservedNames.map(([name]) => `(regex #"/${eitherCase(name)}(/|$)")`)
  return [
    `(deny file-write* (require-all ${inRoots} (regex #"/${eitherCase('.git')}(/|$)")))`,
    `(deny file-write* (require-all ${inRoots} (require-not (regex #"/node_modules/")) (require-any ${others.join(' ')})))`,
  ]
}

function eitherCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`).replaceAll('.', String.raw`\.`)
}
