import type { LandlockHere } from '../landlock/script.ts'
import type { GuardedHost } from '../sandbox.ts'
import type { Mount } from './plan-mounts.ts'

export interface ArgumentOptions {
  readonly mounts: readonly Mount[]
  readonly scratch: string | null
  /** True where it keeps the network that bwrap is started in. */
  readonly keepsNetwork: boolean
  readonly features: BubblewrapFeatures
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** True when the program that takes the terminal makes the session inside. */
  readonly terminal: boolean
  readonly statusFd: number
  readonly filterFd: number
  /** Descriptors of empty files, one for each mount that needs one. */
  readonly emptyFds: readonly number[]
}

const memoryBytes = 256 * 2 ** 20
const temporaryBytes = 512 * 2 ** 20

/** Returns the options of bwrap in the order of their effect. Only the variables of the command are set. */
export function bubblewrapArguments(options: ArgumentOptions): string[] {
  const { mounts, keepsNetwork, features, env, cwd, terminal, statusFd, filterFd } = options
  return [
    '--unshare-user',
    '--unshare-all',
    ...(keepsNetwork ? ['--share-net'] : []),
    ...(features.disablesNamespaces ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--as-pid-1',
    ...(terminal ? [] : ['--new-session']),
    ...['--cap-drop', 'ALL'],
    ...['--json-status-fd', String(statusFd), '--seccomp', String(filterFd)],
    ...mountArguments(options),
    // Made read-only last, after all that is mounted within them.
    ...mounts.filter(({ kind }) => kind === 'emptyFolder').flatMap(({ path }) => ['--remount-ro', path]),
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', cwd],
  ]
}

function mountArguments({ mounts, scratch, features, emptyFds }: ArgumentOptions): string[] {
  const fds = emptyFds.values()
  const memory = (path: string, bytes: number) => [
    ...(features.sizes ? ['--size', String(bytes)] : []),
    ...['--tmpfs', path],
  ]
  const argumentsOf = ({ kind, path }: Mount): string[] => {
    switch (kind) {
      case 'root':
      case 'kept':
      case 'readable':
        return ['--ro-bind', path, path]
      case 'writable':
      case 'pinned':
        return ['--bind', path, path]
      case 'devices':
        return ['--dev', path]
      case 'processes':
        // Root could write to some files below `sys`.
        return ['--proc', path, '--ro-bind', `${path}/sys`, `${path}/sys`]
      case 'memory':
        return memory(path, memoryBytes)
      case 'temporary':
        return scratch === null ? memory(path, temporaryBytes) : ['--bind', scratch, path]
      case 'emptyFolder':
        return ['--tmpfs', path]
      case 'emptyFile':
        return ['--ro-bind-data', String(fds.next().value ?? -1), path]
    }
  }
  return mounts.flatMap(argumentsOf)
}

/** Facts of the machine needed to build a sandbox. */
export interface BubblewrapMachine {
  readonly host: GuardedHost
  /** Absolute path of `bwrap`, from where commands cannot write. */
  readonly program: string
  /** Major, minor, patch. */
  readonly version: readonly [number, number, number]
  /** Landlock, as a second lock where a mount does not help; null without it. */
  readonly landlock: LandlockHere | null
}

export interface BubblewrapFeatures {
  /** Since 0.7: size limits of folders in memory. */
  readonly sizes: boolean
  /** Since 0.8: further user namespaces are disabled; before it the filter refuses them. */
  readonly disablesNamespaces: boolean
}

export function featuresOf([major, minor]: BubblewrapMachine['version']): BubblewrapFeatures {
  const isAtLeast = (wanted: number) => major > 0 || minor >= wanted
  return { sizes: isAtLeast(7), disablesNamespaces: isAtLeast(8) }
}
