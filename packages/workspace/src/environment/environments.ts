import { type Config, type EnvironmentSettings, environmentNamed } from '@parley/config'
import { pinFolders } from '@parley/host'
import { dialTo } from '../remote/dial.ts'
import { Link, type LinkChange } from '../remote/link.ts'
import type { Environment } from './environment.ts'
import { remoteEnvironment } from './remote-environment.ts'

/** Environments of the conversations of one server. */
export interface Environments extends AsyncDisposable {
  /** Returns an environment without connecting to it. Throws `ConfigError` when it is not configured. */
  take(request: EnvironmentRequest): TakenEnvironment
}

export interface EnvironmentRequest {
  /** Name from the conversation's settings; undefined is this machine. */
  readonly environment: string | undefined
  readonly config: Config
  readonly onLinkChange?: (change: LinkChange) => void
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
  /** Time to wait for a lost link to come back, default 30 s. */
  readonly linkPatienceMs?: number
}

interface Shared {
  readonly environment: Environment
  readonly link: Link
  readonly users: Set<EnvironmentRequest>
}

const defaultPatienceMs = 30_000

/** Creates the environments with one link each, shared by their conversations. */
export function createEnvironments(ports: EnvironmentsPorts): Environments {
  const shared = new Map<string, Shared>()
  return {
    take(request) {
      const { environment, config } = request
      if (environment === undefined) return { environment: pinned(ports.local), release: () => Promise.resolve() }
      const settings = environmentNamed(environment, config)
      // Changed settings get a link of their own; open conversations keep the old one.
      const key = JSON.stringify([environment, settings])
      const one = shared.get(key) ?? open(environment, settings, ports)
      shared.set(key, one)
      one.users.add(request)
      return {
        environment: pinnedByPath(one.environment),
        async release() {
          one.users.delete(request)
          if (one.users.size > 0 || shared.get(key) !== one) return
          shared.delete(key)
          await one.link[Symbol.asyncDispose]()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      const links = [...shared.values()].map(({ link }) => link)
      shared.clear()
      await Promise.all(links.map((link) => link[Symbol.asyncDispose]()))
    },
  }
}

/** Returns the environment of this machine for one conversation, whose writable folders stay those it opened with. */
function pinned(local: Environment): Environment {
  const folders = pinFolders()
  return { ...local, rootsNow: (wanted) => Promise.resolve(folders.now(wanted)) }
}

/** Returns an environment elsewhere for one conversation. Device and inode are not known, so only paths are compared. */
function pinnedByPath(remote: Environment): Environment {
  const known = new Map<string, string>()
  // Its facts are getters that are valid only once it was reached, so it is not copied.
  return Object.create(remote, {
    rootsNow: {
      async value(wanted: readonly string[]) {
        const { real } = await remote.rootsNow(wanted)
        const isSame = wanted.map((folder, index) => {
          const now = real[index] ?? folder
          if (!known.has(folder)) known.set(folder, now)
          return known.get(folder) === now
        })
        return {
          real: real.filter((_, index) => isSame[index]),
          changed: wanted.filter((_, index) => !isSame[index]).map(leadsElsewhere),
        }
      },
    },
  })
}

function leadsElsewhere(folder: string): string {
  return `${folder} leads to another folder than when this conversation opened, so nothing may be written there. Close the conversation and open it again to work there.`
}

function open(name: string, settings: EnvironmentSettings, ports: EnvironmentsPorts): Shared {
  const users = new Set<EnvironmentRequest>()
  const link = new Link({
    name,
    dial: dialTo(settings, ports),
    patienceMs: ports.linkPatienceMs ?? defaultPatienceMs,
    onChange(change) {
      for (const { onLinkChange } of users) onLinkChange?.(change)
    },
  })
  return { link, users, environment: remoteEnvironment(name, link, ports.local.search.here) }
}
