import { existsSync, lstatSync } from 'node:fs'
import { arch, release as kernelRelease } from 'node:os'
import { gitFoldersInTmp } from '../../git/folders-read-by-git.ts'
import { watchNewRepositories } from '../../paths/new-repositories.ts'
import { type ReservedName, reserveName } from '../../paths/reserved-names.ts'
import { watchGuardedPaths } from '../../paths/restore-guarded.ts'
import { findSandboxGuards, noSandboxGuards, outermost, type SandboxGuards } from '../../paths/sandbox-guards.ts'
import { realPathOrNull, spellings } from '../../system/real-path.ts'
import { writeLimits } from '../landlock/script.ts'
import type { Loopback, Sandbox, SandboxLimits } from '../sandbox.ts'
import { isFilterArch, seccompFilter } from '../seccomp/filter.ts'
import { type BubblewrapMachine, featuresOf } from './bubblewrap-arguments.ts'
import { hiddenPlaces, systemServices, visibleAgain } from './hidden-places.ts'
import { innerShell } from './inner-shell.ts'
import { type MountLine, mountedOverItself, readMountTable } from './mount-table.ts'
import { type PinnedRoot, pinRoots } from './pinned-roots.ts'
import { isVisible, type Mount, planMounts } from './plan-mounts.ts'
import { wrapCommand } from './wrap-command.ts'

/**
 * Prepares limits from the files as they are now, and reserves the missing guarded names. Rejects with a sentence.
 * `loopback`: network of commands without access to the real one; null gives each command its own.
 */
export async function prepareBubblewrap(
  limits: SandboxLimits,
  machine: BubblewrapMachine,
  loopback: Loopback | null = null,
): Promise<Sandbox> {
  const processor = arch()
  if (!isFilterArch(processor)) throw new Error(`There is no filter of system calls for ${processor}`)
  const roots = limits.writableRoots.filter(exists)
  for (const root of roots) assertUsable(root, limits.mode)
  const pinned = pinRoots(limits, roots)
  const isWritable = limits.mode === 'workspace-write'
  const guarded = isWritable ? await findSandboxGuards(roots, machine.host) : noSandboxGuards
  const held = holdAll(guarded.missing, machine.host.stateFolder ?? null)
  try {
    const mounts = mountsFor(limits, machine.host.home, { roots, guarded, held })
    const visible = pinned.filter(({ path }) => isVisible(path, mounts))
    const surroundings = {
      program: machine.program,
      features: featuresOf(machine.version),
      mounts,
      pinned: visible,
      scratch: limits.scratch,
      network: limits.network,
      loopback: limits.network ? null : loopback,
      writeLimits: isWritable || machine.landlock === null ? [] : writeLimits(machine.landlock, processor),
      filter: seccompFilter({ arch: processor, unixSockets: allowsUnixSockets(limits) }),
      shell: shellFor(mounts, visible, limits.network ? 'no' : loopback === null ? 'own' : 'shared'),
    }
    const putBack = watchGuardedPaths({
      ...guarded,
      kept: outermost(guarded),
      roots,
      held: held.map(({ path }) => path),
      hidden: limits.masked,
      closesNames: false,
    })
    const lookAtMade = isWritable && limits.looksAtEnd !== false ? watchNewRepositories(roots, machine.host) : () => []
    let isStarted = false
    return {
      limits,
      sharesLoopback: surroundings.loopback !== null,
      wrap(command) {
        isStarted = true
        return wrapCommand(command, surroundings)
      },
      release() {
        const putAside = putBack(isStarted)
        releaseAll(held)
        const exchanged = isStarted ? [...putAside, ...lookAtMade()] : putAside
        if (exchanged.length > 0) machine.host.onExchanged?.(exchanged.map(({ text }) => text))
        return exchanged
      },
    }
  } catch (error) {
    releaseAll(held)
    throw error
  }
}

/**
 * Returns true where a command may make unix sockets. With the network it shares the names of abstract sockets, such as
 * of a display or a message bus, and a filter cannot see to which socket a program connects.
 */
function allowsUnixSockets({ unixSockets, network }: SandboxLimits): boolean {
  return unixSockets && !network
}

/** Limit of the system for one argument. */
const maxShellBytes = 128 * 1024 - 1
/** Mounts from which on starting `cat` is cheaper than a shell that reads byte by byte. */
const manyMounts = 120

function shellFor(
  mounts: readonly Mount[],
  pinned: readonly PinnedRoot[],
  watchNetwork: 'no' | 'own' | 'shared',
): string {
  const table = readMountTable()
  const isLong = table.length + mounts.length > manyMounts
  const shell = innerShell({
    mounts: mountedAs(mounts, table),
    pinned: pinned.map(({ path }) => path),
    cat: (isLong ? ['/bin/cat', '/usr/bin/cat'].find((path) => existsSync(path)) : null) ?? null,
    watchNetwork,
    limitTasks: countsTasksInside(kernelRelease()),
  })
  if (Buffer.byteLength(shell) <= maxShellBytes) return shell
  throw new Error('There are too many repositories in the writable folders to keep each as it is')
}

/** Returns the table entries that must be there inside, of the paths that are mounted over themselves. */
function mountedAs(mounts: readonly Mount[], table: readonly MountLine[]): string[] {
  const own = mounts.filter(({ kind }) => ['writable', 'readable', 'kept', 'pinned'].includes(kind))
  return own.map(({ path }) => {
    const line = mountedOverItself(path, table)
    if (line === null) throw new Error(`The mount table does not say which file system holds ${path}`)
    return line
  })
}

function mountsFor(
  limits: SandboxLimits,
  home: string,
  { roots, guarded, held }: { roots: readonly string[]; guarded: SandboxGuards; held: readonly ReservedName[] },
): Mount[] {
  const hidden = hiddenPlaces([...systemServices(home), ...limits.masked])
  const isWritable = limits.mode === 'workspace-write'
  const readOnlyRoots = roots.filter((root) => !isWritable || guarded.kept.includes(root))
  return planMounts({
    writable: isWritable ? [...roots, ...guarded.writable] : [],
    readable: [
      ...readOnlyRoots,
      ...(limits.readable ?? []).filter(exists),
      ...gitFoldersInTmp(limits),
      ...visibleAgain.map(realPathOrNull).filter((path) => path !== null),
    ],
    kept: [...guarded.kept, ...held.flatMap(({ path }) => spellings(path))],
    hiddenFolders: hidden.folders,
    hiddenFiles: hidden.files,
    scratch: limits.scratch,
  })
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Throws for a root that is not the folder it was when the session began. */
function assertUsable(root: string, mode: SandboxLimits['mode']): void {
  if (realPathOrNull(root) !== root)
    throw new Error(`${root} is not the folder it was: there is a link in its path now`)
  if (root === '/' && mode === 'workspace-write') throw new Error('The whole system cannot be a writable folder')
}

function holdAll(paths: readonly string[], notes: string | null): ReservedName[] {
  const held: ReservedName[] = []
  try {
    for (const path of paths) {
      const name = reserveName(path, notes)
      if (name !== null) held.push(name)
    }
    return held
  } catch (error) {
    releaseAll(held)
    throw error
  }
}

function releaseAll(held: readonly ReservedName[]): void {
  for (const name of held) name.release()
}

/** Returns true since Linux 5.14: there, a limit of processes inside counts only processes inside. */
function countsTasksInside(release: string): boolean {
  const [major = 0, minor = 0] = release.split('.').map(Number.parseFloat)
  return major > 5 || (major === 5 && minor >= 14)
}
