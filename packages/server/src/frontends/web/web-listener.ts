import type { ClientAccess } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { listenForPage } from '@parley/rpc/websocket'
import { greetPage } from './greet-page.ts'
import { createLinks, type Links } from './links.ts'
import { pageHeaders, readPageFiles } from './page-files.ts'

export interface WebPorts {
  /** Folder of the built page. */
  readonly folder: string
  readonly now: () => number
  /** Takes ownership of the transport of a page that has proven who it is. */
  readonly accept: (transport: Transport, access: ClientAccess) => void
}

export interface OpenedPage {
  /** Origin of the page: `http://127.0.0.1:PORT`. */
  readonly origin: string
  readonly links: Links
  /** Stops listening, and closes the connections of all pages. */
  close(): Promise<void>
}

/** Most connections that have not proven who they are. */
const maxUnproven = 16

/** Listens for the page on loopback, and hands over the connections of pages with a link. Rejects with `ListenError`. */
export async function listenForLinks({ folder, now, accept }: WebPorts, port: number): Promise<OpenedPage> {
  const links = createLinks(now)
  const files = readPageFiles(folder)
  const pages = new Set<Transport>()
  let unproven = 0
  const listener = await listenForPage({
    port,
    headers: pageHeaders,
    respond: (path, { headers }) => files(path, headers['accept-encoding']?.toString()),
    async onConnection(transport, admit) {
      if (unproven >= maxUnproven) return transport.close()
      unproven += 1
      const access = await greetPage(transport, links).finally(() => {
        unproven -= 1
      })
      if (access === null) return
      admit()
      pages.add(transport)
      void transport.closed.then(() => pages.delete(transport))
      accept(transport, access)
    },
  })
  return {
    origin: listener.origin,
    links,
    async close() {
      await listener.close()
      await Promise.all([...pages].map((page) => page.close()))
    },
  }
}
