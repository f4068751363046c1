import { isLoopbackHost } from '@parley/text'
import { originOfWebsocket } from './page-secret.ts'

/** Servers of a team, by the origins of their pages. The page goes on at the next where one does not answer. */
export interface TeamServers {
  /** Returns the server that it was at, then the others in a fixed order. */
  inOrder(): readonly string[]
  /** Notes that the page is at a server. */
  reached(origin: string): void
  /** Asks for the present servers; without an answer the known ones stay. Never rejects. */
  lookAround(): Promise<void>
  /** Makes the server with a websocket the next; false for one that is not of the team, and for the one it is at. */
  choose(websocket: string | null): boolean
}

/** Creates the list for a page from the origin `home`; its server names the others by `look`. */
export function createTeamServers(home: string, look: () => Promise<readonly string[]>): TeamServers {
  let all: readonly string[] = [home]
  let at = home
  return {
    inOrder() {
      const place = Math.max(0, all.indexOf(at))
      return [...all.slice(place), ...all.slice(0, place)]
    },
    reached(origin) {
      at = origin
    },
    lookAround() {
      const learn = (origins: readonly string[]) => {
        all = [...new Set([home, ...origins.filter((origin) => isSafe(origin, home))])]
      }
      return look().then(learn, () => undefined)
    },
    choose(websocket) {
      const origin = originOfWebsocket(websocket)
      if (origin === null || origin === at || !all.includes(origin)) return false
      at = origin
      return true
    },
  }
}

/** Tells if a token may be sent to an origin: nobody between can read it there, or it is on this machine as the page is. */
function isSafe(origin: string, home: string): boolean {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) return false
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || [hostname, new URL(home).hostname].every(isLoopbackHost)
}
