import { errorMessage } from '@parley/text'
import { type FoundProgram, findProgram, programFolders } from '../../system/programs.ts'
import { isWithin } from '../../system/real-path.ts'
import type { GuardedHost, Loopback, Sandboxes, SandboxReport } from '../sandbox.ts'

/** Facts of the machine that are read before anything is tried. */
export interface Machine {
  readonly host: GuardedHost
  readonly platform: NodeJS.Platform
  readonly arch: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly bwrap: FoundProgram | null
  /** Program that puts commands into a shared loopback. */
  readonly nsenter: FoundProgram | null
  readonly perl: FoundProgram | null
  readonly sandboxExec: FoundProgram | null
}

/** Looks for the programs of this machine in the given folders. */
export function inspectMachine(
  env: Machine['env'],
  host: GuardedHost,
  folders: readonly string[] = programFolders(env['PATH'] ?? ''),
): Machine {
  const { platform, arch } = process
  const onLinux = (name: string) => (platform === 'linux' ? findProgram(name, folders) : null)
  return {
    host,
    platform,
    arch,
    env,
    bwrap: onLinux('bwrap'),
    nsenter: onLinux('nsenter'),
    perl: onLinux('perl'),
    sandboxExec: platform === 'darwin' ? findProgram('sandbox-exec', ['/usr/bin']) : null,
  }
}

/** Returns the function that prepares limits in this enforcement on this machine. Its modules are loaded when it is called. */
export function preparerFor(finding: Finding, machine: Machine): PrepareSandbox {
  const { enforcement, reason, bubblewrap, landlock } = finding
  const { host, arch, bwrap, perl, sandboxExec } = machine
  if (enforcement === 'full' && sandboxExec !== null)
    return trusting(sandboxExec.path, bySeatbelt(sandboxExec.path, host))
  if (enforcement === 'full' && bwrap !== null && bubblewrap !== undefined) {
    return trusting(bwrap.path, byBubblewrap(machine, { program: bwrap.path, version: bubblewrap, landlock }))
  }
  if (enforcement === 'partial' && perl !== null && landlock !== undefined) {
    return trusting(perl.path, async (limits) => {
      const { prepareLandlock } = await import('../landlock/prepare-landlock.ts')
      const { isFilterArch } = await import('../seccomp/filter.ts')
      if (!isFilterArch(arch)) throw new Error(reason)
      return prepareLandlock(limits, { host, program: perl.path, version: landlock, arch })
    })
  }
  return () => Promise.reject(new Error(reason))
}

function byBubblewrap(
  { host, perl }: Machine,
  { program, version, landlock }: { program: string; version: string; landlock: number | undefined },
): PrepareSandbox {
  return async (limits, loopback) => {
    const { prepareBubblewrap } = await import('../bubblewrap/prepare-bubblewrap.ts')
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
    // A Perl that commands could have written would be no lock.
    const isOurs = perl !== null && !limits.writableRoots.some((root) => isWithin(perl.path, root))
    const second = isOurs && landlock !== undefined ? { program: perl.path, version: landlock } : null
    return prepareBubblewrap(limits, { host, program, version: [major, minor, patch], landlock: second }, loopback)
  }
}

function bySeatbelt(program: string, host: GuardedHost): PrepareSandbox {
  return async (limits) => {
    const { prepareSeatbelt } = await import('../macos/seatbelt.ts')
    return prepareSeatbelt(limits, { host, program })
  }
}

/** Rejects limits under which a command could change the program that enforces them. */
function trusting(program: string, prepare: PrepareSandbox): PrepareSandbox {
  return (limits, loopback) => {
    const isChangeable =
      limits.mode === 'workspace-write' && limits.writableRoots.some((root) => isWithin(program, root))
    if (!isChangeable) return prepare(limits, loopback)
    return Promise.reject(new Error(`${program}, which enforces the limits, lies where commands may write`))
  }
}

/** Returns the function that makes loopbacks. It returns null on failure, so that each command gets its own. */
export function loopbackMaker({ sharesLoopback }: Finding, machine: Machine): Sandboxes['openLoopback'] {
  return async () => (sharesLoopback === true ? tryLoopback(machine).catch(() => null) : null)
}

/** Makes a loopback. Rejects with a sentence where this fails. */
export async function tryLoopback({ bwrap, nsenter }: Machine): Promise<Loopback> {
  if (bwrap === null || nsenter === null) throw new Error('nsenter, a program of util-linux, is not installed')
  const { makeLoopback } = await import('../loopback/make-loopback.ts')
  return makeLoopback(bwrap.path, nsenter.path)
}

/** Result of a search, as it is kept from one start to the next. */
export interface Finding extends SandboxReport {
  /** Version of bubblewrap, in full enforcement on Linux: `0.8.0`. */
  readonly bubblewrap?: string
  /** Version of the kernel's Landlock, where it is applied: alone in partial enforcement, else inside bubblewrap. */
  readonly landlock?: number
  /** False when something took too long, so that another try might find more. */
  readonly isSure: boolean
}

/** Prepares the limits of commands. Rejects with a sentence where it cannot. */
type PrepareSandbox = Sandboxes['prepare']

export interface FoundSandbox extends Pick<Sandboxes, 'prepare' | 'openLoopback'> {
  readonly finding: Finding
}

/** Returns a finding without enforcement, for a search that failed. */
export function noSandboxFound(error: unknown): FoundSandbox {
  const reason = `What enforces limits here could not be found out: ${errorMessage(error)}.`
  return {
    finding: { enforcement: 'none', reason, isSure: false },
    prepare: () => Promise.reject(new Error(reason)),
    openLoopback: () => Promise.resolve(null),
  }
}
