import type { GuardSurroundings } from '../guarded/find-guarded.ts'
import type { Mount } from './plan-mounts.ts'

export interface ArgumentOptions {
  readonly mounts: readonly Mount[]
  readonly scratch: string | null
  readonly network: boolean
  readonly features: BubblewrapFeatures
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Its session is made inside, by what takes the terminal. */
  readonly terminal: boolean
  readonly statusFd: number
  readonly filterFd: number
  /** Descriptors of empty files, one for each mount that needs one. */
  readonly emptyFds: readonly number[]
}

const memoryBytes = 256 * 2 ** 20
const temporaryBytes = 512 * 2 ** 20

/** What bwrap is told, in the order in which it does it. The environment must be empty but for what the command is to have. */
export function bubblewrapArguments(options: ArgumentOptions): string[] {
  const { mounts, network, features, env, cwd, terminal, statusFd, filterFd } = options
  return [
    '--unshare-user',
    '--unshare-all',
    ...(network ? ['--share-net'] : []),
    ...(features.disablesNamespaces ? ['--disable-userns'] : []),
    '--die-with-parent',
    '--as-pid-1',
    ...(terminal ? [] : ['--new-session']),
    ...['--cap-drop', 'ALL'],
    ...['--json-status-fd', String(statusFd), '--seccomp', String(filterFd)],
    ...mountArguments(options),
    // After all that is mounted within them.
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
        // As root some of these could be written to.
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

/** What there is to build a sandbox with. */
export interface BubblewrapMachine extends GuardSurroundings {
  /** Absolute path of `bwrap`, from where commands cannot write. */
  readonly program: string
  /** Major, minor, patch. */
  readonly version: readonly [number, number, number]
}

export interface BubblewrapFeatures {
  /** 0.7: a limit to what is kept in memory. */
  readonly sizes: boolean
  /** 0.8: no further user namespaces; before it the filter refuses them. */
  readonly disablesNamespaces: boolean
}

export function featuresOf([major, minor]: BubblewrapMachine['version']): BubblewrapFeatures {
  const isAtLeast = (wanted: number) => major > 0 || minor >= wanted
  return { sizes: isAtLeast(7), disablesNamespaces: isAtLeast(8) }
}
