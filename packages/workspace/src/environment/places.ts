import { type Config, environmentNamed } from '@parley/config'
import { dialTo } from '../remote/dial.ts'
import { Link, type LinkChange } from '../remote/link.ts'
import { remotePlace } from '../remote/remote-place.ts'
import type { Place } from './place.ts'

/** The places that conversations of this server work in. */
export interface Places extends AsyncDisposable {
  /** Throws `ConfigError` when the environment is not configured. Connects to nothing yet. */
  take(wanted: WantedPlace): TakenPlace
}

export interface WantedPlace {
  /** Of a conversation's settings; without one it is this machine. */
  readonly environment: string | undefined
  readonly config: Config
  readonly onLinkChange?: (change: LinkChange) => void
}

export interface TakenPlace {
  readonly place: Place
  /** The conversation is closed; a link that no other one uses is closed too. */
  release(): Promise<void>
}

export interface PlacesPorts {
  readonly local: Place
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly linkPatienceMs?: number
}

interface Shared {
  readonly place: Place
  readonly link: Link
  readonly users: Set<WantedPlace>
}

const defaultPatienceMs = 30_000

/** One link per environment, shared by all conversations that work there. */
export function createPlaces(ports: PlacesPorts): Places {
  const shared = new Map<string, Shared>()
  return {
    take(wanted) {
      const { environment, config } = wanted
      if (environment === undefined) return { place: ports.local, release: () => Promise.resolve() }
      const settings = environmentNamed(environment, config)
      // Changed settings are another link; conversations that are open keep theirs.
      const key = JSON.stringify([environment, settings])
      const one = shared.get(key) ?? open(environment, { ...ports, settings })
      shared.set(key, one)
      one.users.add(wanted)
      return {
        place: one.place,
        async release() {
          one.users.delete(wanted)
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

function open(name: string, ports: PlacesPorts & { readonly settings: Parameters<typeof dialTo>[0] }): Shared {
  const users = new Set<WantedPlace>()
  const link = new Link({
    name,
    dial: dialTo(ports.settings, ports),
    patienceMs: ports.linkPatienceMs ?? defaultPatienceMs,
    onChange(change) {
      for (const { onLinkChange } of users) onLinkChange?.(change)
    },
  })
  return { link, users, place: remotePlace(name, link, ports.local.search.here) }
}
