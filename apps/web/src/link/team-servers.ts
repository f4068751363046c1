import { originOfWebsocket } from './page-secret.ts'

/** Servers of a team, by the origins of their pages. The page goes on at the next where one does not answer. */
export interface TeamServers {
  /** Returns the server that it was at, then the others in a fixed order. */
  inOrder(): readonly string[]
  /** Notes that the page is at a server. */
  reached(origin: string): void
  /** Takes the servers that the one named which admitted the page. */
  learn(origins: readonly string[]): void
  /** Makes the server with a websocket the next; false for one that is not of the team, and for the one it is at. */
  choose(websocket: string | null): boolean
}

/** Creates the list for a page that was loaded from the origin `home`. */
export function createTeamServers(home: string): TeamServers {
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
    learn(origins) {
      all = [...new Set([home, ...origins.filter((origin) => isSafe(origin, home))])]
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
  return new URL(origin).protocol === 'https:' || (isLoopback(origin) && isLoopback(home))
}

function isLoopback(origin: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname)
}
