import { type Rights, rightsToRead } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { listenForPage } from '@parley/rpc/websocket'
import type { Prove, Proven } from './greet-page.ts'
import { createLinks, type Links } from './links.ts'
import { createPageSource } from './page-source.ts'

export interface WebPorts {
  /** Folder of the built page. */
  readonly folder: string
  readonly now: () => number
  /** Takes ownership of the transport of a page with proven rights. */
  readonly accept: (transport: Transport, proven: Proven) => void
}

export interface OpenedPage {
  /** Origin of the page: `http://127.0.0.1:PORT`. */
  readonly origin: string
  readonly links: Links
  /** Stops listening, and closes the connections of all pages. */
  close(): Promise<void>
}

/** Most connections without a proof of their rights. */
const maxUnproven = 16

/** Listens for the page on loopback, and hands over the connections of pages with a link. Rejects with `ListenError`. */
export async function listenForLinks({ folder, now, accept }: WebPorts, port: number): Promise<OpenedPage> {
  const links = createLinks(now)
  const pages = new Set<Transport>()
  const { headers, otherOrigins, respond, onConnection } = createPageSource({
    ...{ folder, maxUnproven, offersSignIn: false, otherOrigins: () => [] },
    prove: proveByLink(links),
    accept(transport, proven) {
      pages.add(transport)
      void transport.closed.then(() => pages.delete(transport))
      accept(transport, proven)
    },
  })
  const listener = await listenForPage({ port, headers, otherOrigins, respond, onConnection })
  return {
    origin: listener.origin,
    links,
    async close() {
      await listener.close()
      await Promise.all([...pages].map((page) => page.close()))
    },
  }
}

function proveByLink(links: Links): Prove {
  return (proof) => {
    const given = 'code' in proof ? links.exchange(proof.code) : links.find(proof.token)
    if (given === null) return null
    const { access, only } = given.terms
    return { token: given.token, access, ...(only === null ? {} : { rights: rightsOfWatcher(only) }) }
  }
}

/** Returns the rights of a page with a link for one conversation: it may read it while the connection lasts. */
function rightsOfWatcher(conversationId: string): Rights {
  return rightsToRead({ kind: 'guest', conversationId }, () => true)
}
