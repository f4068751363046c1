import { isPrivate } from '@parley/serving'

/** Origins of the pages of the servers that share a store. */
export interface TeamOrigins extends Disposable {
  /** Returns the origins that were found so far. One that is gone stays: pages of a server that died still connect. */
  known(): readonly string[]
  /** Looks for new ones. */
  look(): Promise<void>
}

/** Time between two looks. */
const usualEveryMs = 5_000

/** Most origins that are kept, the newest: servers with changing ports could make an endless list. */
const mostKept = 32

/**
 * Watches the origins that servers of a store announce. Only a program with access to the store can announce one. An
 * origin without encryption is not taken, unless it is local.
 */
export function watchTeamOrigins(pages: () => Promise<readonly string[]>, everyMs = usualEveryMs): TeamOrigins {
  let known: readonly string[] = []
  const look = async () => {
    try {
      const found = (await pages()).filter((origin) => isOrigin(origin) && isPrivate(origin))
      known = [...new Set([...known, ...found])].slice(-mostKept)
    } catch {
      // The store is away, which is reported elsewhere. Known origins stay.
    }
  }
  void look()
  const timer = setInterval(() => void look(), everyMs).unref()
  return {
    known: () => known,
    look,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
