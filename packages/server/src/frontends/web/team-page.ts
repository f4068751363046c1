import type { RightsOfToken } from '@parley/protocol'
import type { PageSource } from '@parley/rpc/websocket'
import { isPrivate } from '@parley/serving'
import { createPageSource, type SourceOptions } from './page-source.ts'

interface TeamPageOptions extends Pick<SourceOptions, 'folder' | 'otherOrigins' | 'accept'> {
  readonly rightsOf: RightsOfToken
}

/** Most connections without a proof of their rights: more than on loopback, where all belong to one person. */
const maxUnproven = 128

/** Returns the page of a server with users. Its token gives it the rights of a user or of a link. */
export function createTeamPage({ folder, rightsOf, otherOrigins, accept }: TeamPageOptions): PageSource {
  return createPageSource({
    ...{ folder, maxUnproven, accept, otherOrigins, offersSignIn: true },
    async prove(proof) {
      if (!('token' in proof)) return null
      const { token } = proof
      const rights = await rightsOf(token)
      if (rights === null) return null
      return { token, access: rights.person.kind === 'guest' ? 'readOnly' : 'full', rights }
    },
  })
}

/** Origins of the pages of the servers that share a store. */
interface TeamOrigins extends Disposable {
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
