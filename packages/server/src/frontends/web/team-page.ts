import type { RightsOfToken } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import type { PageSource } from '@parley/rpc/websocket'
import type { Proven } from './greet-page.ts'
import { createPageSource } from './page-source.ts'

interface TeamPageOptions {
  /** Folder of the built page. */
  readonly folder: string
  readonly rightsOf: RightsOfToken
  readonly otherOrigins: () => readonly string[]
  /** Takes ownership of the transport of a page with proven rights. */
  readonly accept: (transport: Transport, proven: Proven) => void
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
