import { access, readFile } from 'node:fs/promises'
import type { TrialEnd } from './try-limits.ts'

/** Settings of the kernel and of a container that restrict sandboxes, where they can be read. */
export interface SystemRestrictions {
  readonly isContainer: boolean
  /** kernel.apparmor_restrict_unprivileged_userns */
  readonly restrictsUserNamespaces: boolean
  /** kernel.unprivileged_userns_clone of Debian kernels is 0. */
  readonly forbidsUserNamespaces: boolean
  /** user.max_user_namespaces is 0. */
  readonly hasNoUserNamespaces: boolean
  readonly isRoot: boolean
}

export const noBubblewrap =
  'bubblewrap is not installed: `sudo apt install bubblewrap` (Debian, Ubuntu), `sudo dnf install bubblewrap` (Fedora) or `sudo pacman -S bubblewrap` (Arch) gives the full sandbox.'

export function noFilter(arch: string): string {
  return `There is no system call filter for this processor (${arch}), so nothing can enforce limits here.`
}

/** Explains in one sentence why bubblewrap is installed but not used, with the remedy if it is known. */
export function whyNotBubblewrap(end: Exclude<TrialEnd, { kind: 'holds' }>, around: SystemRestrictions): string {
  if (end.kind === 'tooLong') return 'bubblewrap did not answer in time; it is tried again at the next start.'
  if (end.kind === 'leaks') {
    return `bubblewrap was tried and did not ${end.leaks.join(', nor ')}, so it is not used.`
  }
  const known = knownRefusal(around)
  if (known !== null) return known
  const message = firstLine(end.message)
  return message === '' ? 'bubblewrap could not be started.' : `bubblewrap could not be started: ${message}.`
}

/** Explains what refuses user namespaces, the likeliest cause first; null where no known cause applies. */
function knownRefusal(around: SystemRestrictions): string | null {
  if (around.hasNoUserNamespaces) {
    return 'This system allows no user namespaces, which bubblewrap needs: `sudo sysctl user.max_user_namespaces=15000` allows them.'
  }
  if (around.isContainer) {
    return 'This container refuses the user namespaces or mounts that bubblewrap needs: start it with a security profile that allows them (Docker: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`).'
  }
  if (around.isRoot) return null
  if (around.forbidsUserNamespaces) {
    return 'The kernel refuses user namespaces to ordinary users, and bubblewrap needs them: `sudo sysctl kernel.unprivileged_userns_clone=1` allows them.'
  }
  if (around.restrictsUserNamespaces) {
    return 'AppArmor refuses user namespaces to bubblewrap: install a profile that lets it have them (Ubuntu: package `apparmor-profiles`, profile `bwrap-userns-restrict`), or `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`.'
  }
  return null
}

/** Explains in one sentence why there is no Landlock sandbox either. */
export function whyNotLandlock(
  problem: 'noPerl' | 'noLandlock' | 'old' | Exclude<TrialEnd, { kind: 'holds' }>,
): string {
  if (problem === 'noPerl') return 'The partial sandbox needs Perl, which is not installed.'
  if (problem === 'noLandlock') return 'This kernel has no Landlock either.'
  if (problem === 'old') return 'The Landlock of this kernel is too old to use instead (Linux 6.2 or later has it).'
  if (problem.kind === 'tooLong') return 'Landlock did not answer in time either.'
  if (problem.kind === 'leaks')
    return `Landlock was tried and did not ${problem.leaks.join(', nor ')}, so it is not used.`
  const message = firstLine(problem.message)
  return message === '' ? 'Landlock could not be used either.' : `Landlock could not be used either: ${message}.`
}

export function fullBy(version: string): string {
  return `bubblewrap ${version} and a system call filter enforce the limits.`
}

/** Limit that a read-only mount does not enforce, where Landlock does not do it. */
export const pipesOpen =
  'Named pipes of other programs can be written to in every mode: closing them takes Perl and the Landlock of Linux 5.19 or later.'

/** Explains in a sentence why each command has a loopback of its own. */
export function loopbackApart(why: string): string {
  const message = firstLine(why)
  return `Commands cannot reach each other’s servers on localhost${message === '' ? '' : `: ${message}`}.`
}

export function partialBy(whyNotFull: string): string {
  return `Landlock and a system call filter limit writes and the network, without namespaces. ${whyNotFull}`
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').trim().replace(/\.$/, '').slice(0, 200)
}

export async function readRestrictions(env: Readonly<Record<string, string | undefined>>): Promise<SystemRestrictions> {
  const [apparmor, clone, most, docker, podman, status] = await Promise.all([
    textOf('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    textOf('/proc/sys/kernel/unprivileged_userns_clone'),
    textOf('/proc/sys/user/max_user_namespaces'),
    exists('/.dockerenv'),
    exists('/run/.containerenv'),
    textOf('/proc/self/status'),
  ])
  // Container runtimes run everything under a filter.
  const isFiltered = /^Seccomp:\t2$/m.test(status)
  return {
    isContainer: docker || podman || env['container'] !== undefined || isFiltered,
    restrictsUserNamespaces: apparmor === '1',
    forbidsUserNamespaces: clone === '0',
    hasNoUserNamespaces: most === '0',
    isRoot: process.getuid?.() === 0,
  }
}

async function textOf(path: string): Promise<string> {
  const text = await readFile(path, 'latin1').catch(() => '')
  return text.trim()
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
