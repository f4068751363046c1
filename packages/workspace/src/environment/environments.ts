import { type Config, type EnvironmentSettings, environmentNamed } from '@parley/config'
import { exchangedFolderText, pinFolders } from '@parley/host'
import type { Fence } from '@parley/protocol/exec'
import { type ConnectedMachines, createConnectedMachines, machineNamed } from '../remote/connected-machines.ts'
import { dialTo } from '../remote/dial.ts'
import { ExecLink, type LinkChange } from '../remote/link.ts'
import type { Environment } from './environment.ts'
import { type Owner, ownedActions } from './owned-environment.ts'
import { remoteEnvironment } from './remote-environment.ts'

/** Environments of the conversations of one server. */
export interface Environments extends AsyncDisposable {
  /** Returns an environment without connecting to it. Throws `ConfigError` when it is not configured. */
  take(request: EnvironmentRequest): TakenEnvironment
  /**
   * Returns true where conversations of these users can begin in a configured environment. No users: the operator's
   * conversations.
   */
  serves(request: Pick<EnvironmentRequest, 'environment' | 'config'>, users: readonly string[]): boolean
  /**
   * Returns true for a connected machine that does not work for a user; false for an environment that is not
   * configured.
   */
  refuses(request: Pick<EnvironmentRequest, 'environment' | 'config'>, user: string): boolean
}

export interface EnvironmentRequest {
  /** Name from the conversation's settings; undefined is this machine. */
  readonly environment: string | undefined
  readonly config: Config
  readonly onLinkChange?: (change: LinkChange) => void
  /** Right to the conversation where a store has it, which then has a link and a session of its own there. */
  readonly owner?: Owner
  /** Users who own the conversation; absent or empty for the operator's own. */
  readonly users?: readonly string[]
}

export interface TakenEnvironment {
  readonly environment: Environment
  /** Ends this use of the environment; the last one closes the link. */
  release(): Promise<void>
}

export interface EnvironmentsPorts {
  readonly local: Environment
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Time to wait for a lost link to come back, default 30 s; 290 s for a conversation of a store on a machine that connects by itself. */
  readonly linkPatienceMs?: number
  /** Exec-servers that connect to this server; default: no exec-server. */
  readonly machines?: ConnectedMachines
}

interface Shared {
  readonly environment: Environment
  readonly link: ExecLink
  readonly requests: Set<EnvironmentRequest>
}

const defaultPatienceMs = 30_000
/** The same for a machine that connects by itself, such as a laptop that is carried home, and a conversation of a store. */
const patienceOfMachineMs = 290_000

/** Creates the environments with one link each, shared by the conversations that no store has. */
export function createEnvironments(ports: EnvironmentsPorts): Environments {
  const shared = new Map<string, Shared>()
  return {
    take(request) {
      const { environment, config, owner, users = [] } = request
      const owned = (one: Environment) => (owner === undefined ? one : withMembers(one, ownedActions(one, owner)))
      if (environment === undefined)
        return { environment: owned(pinned(ports.local)), release: () => Promise.resolve() }
      const settings = environmentNamed(environment, config)
      // Changed settings get a link of their own; open conversations keep the old one.
      const key = JSON.stringify([environment, settings, owner?.fence, users])
      const fence = owner?.fence ?? null
      const one = shared.get(key) ?? open(settings, { name: environment, users, fence }, ports)
      shared.set(key, one)
      one.requests.add(request)
      return {
        environment: owned(pinnedThere(one.environment)),
        async release() {
          one.requests.delete(request)
          if (one.requests.size > 0 || shared.get(key) !== one) return
          shared.delete(key)
          await one.link[Symbol.asyncDispose]()
        },
      }
    },
    serves({ environment = '', config: { environments = {} } }, users) {
      const connected = environments[environment]?.connected
      // Faults of the configuration are reported where the environment is taken.
      return connected === undefined || ports.machines?.serves(machineNamed(connected), users) === true
    },
    refuses({ environment, config }, user) {
      const { environments = {} } = config
      // Faults of the configuration are reported where the environment is taken.
      if (environment === undefined || !Object.hasOwn(environments, environment)) return false
      const settings = environmentNamed(environment, config)
      if (settings.url !== undefined) return false
      return ports.machines?.refuses(machineNamed(settings.connected), user) === true
    },
    async [Symbol.asyncDispose]() {
      const links = [...shared.values()].map(({ link }) => link)
      shared.clear()
      await Promise.all(links.map((link) => link[Symbol.asyncDispose]()))
    },
  }
}

/**
 * Returns the environment of this machine for one conversation; its writable folders stay as they were at the opening.
 */
function pinned(local: Environment): Environment {
  const foldersNow = pinFolders()
  return withMembers(local, { rootsNow: (wanted) => Promise.resolve(foldersNow(wanted)) })
}

/** Returns an environment with other members. It is not copied: facts of a remote one are getters, valid once it was reached. */
export function withMembers(environment: Environment, members: Partial<Environment>): Environment {
  return Object.create(environment, Object.getOwnPropertyDescriptors(members))
}

/**
 * Returns an environment elsewhere for one conversation; its writable folders stay as they were at the opening: by
 * their real paths, and by device and inode where the exec-server reports them.
 */
function pinnedThere(remote: Environment): Environment {
  const pins = new Map<string, RemotePin>()
  return withMembers(remote, {
    async rootsNow(wanted) {
      const { real, identities } = await remote.rootsNow(wanted)
      const isSame = wanted.map((folder, index) => {
        const path = real[index] ?? folder
        return isAsPinned(pins, folder, { real: path, identity: identities?.get(path) ?? null })
      })
      return {
        real: real.filter((_, index) => isSame[index]),
        changed: wanted.filter((_, index) => !isSame[index]).map(exchangedFolderText),
      }
    },
  })
}

interface RemotePin {
  readonly real: string
  /**
   * Device and inode; null for a missing folder, which is pinned when it appears, and where the machine does not report
   * them.
   */
  readonly identity: string | null
}

function isAsPinned(pins: Map<string, RemotePin>, folder: string, now: RemotePin): boolean {
  const pin = pins.get(folder) ?? now
  const identity = pin.identity ?? now.identity
  pins.set(folder, { real: pin.real, identity })
  return pin.real === now.real && (now.identity === null || now.identity === identity)
}

function open(
  settings: EnvironmentSettings,
  { name, users, fence }: { readonly name: string; readonly users: readonly string[]; readonly fence: Fence | null },
  ports: EnvironmentsPorts,
): Shared {
  const requests = new Set<EnvironmentRequest>()
  const { home, env, machines = createConnectedMachines(0) } = ports
  const machine = settings.url === undefined ? machineNamed(settings.connected) : null
  const patienceMs = machine === null || fence === null ? defaultPatienceMs : patienceOfMachineMs
  const link = new ExecLink({
    name,
    dial: dialTo(settings, { home, env, machines, users }),
    fence,
    people:
      machine === null ? null : { ...(machine.owner === null ? {} : { owner: machine.owner }), users: [...users] },
    patienceMs: ports.linkPatienceMs ?? patienceMs,
    onChange(change) {
      for (const { onLinkChange } of requests) onLinkChange?.(change)
    },
    onEpochOver() {
      for (const { owner } of requests) owner?.taken()
    },
  })
  const connected = settings.url === undefined ? settings.connected : null
  const mayWork = (user: string) => machine === null || machines.permits(machine, user)
  const identity = { name, machine: connected, reachedBy: JSON.stringify(settings), mayWork }
  return { link, requests, environment: remoteEnvironment(identity, link, ports.local.search.here) }
}
