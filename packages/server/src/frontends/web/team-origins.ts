import { isPrivate } from '@parley/serving'

/** Origins of the pages of the servers that share a store. */
export interface TeamOrigins extends Disposable {
  /** Returns those that were found so far. One that is gone stays: pages of a server that died come from it. */
  known(): readonly string[]
  /** Looks for new ones. */
  look(): Promise<void>
}

/** Time between two looks. */
const usualEveryMs = 5_000

/** Most origins that are kept, the newest: servers whose ports change could make a list without end. */
const mostKept = 32

/**
 * Watches the origins that servers of a store say of themselves. Only who can write to the store can name one, and one
 * that others on the way could read is not taken.
 */
export function watchTeamOrigins(pages: () => Promise<readonly string[]>, everyMs = usualEveryMs): TeamOrigins {
  let known: readonly string[] = []
  const look = async () => {
    try {
      const found = (await pages()).filter((origin) => isOrigin(origin) && isPrivate(origin))
      known = [...new Set([...known, ...found])].slice(-mostKept)
    } catch {
      // The store is away: its state is told elsewhere, and those found before stay.
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
