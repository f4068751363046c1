import type { Transport } from '@parley/rpc'
import type { PageSource } from '@parley/rpc/websocket'
import { greetPage, type Prove, type Proven } from './greet-page.ts'
import { listOfServers, pageHeaders, readPageFiles, serversPath } from './page-files.ts'

interface SourceOptions {
  /** Folder of the built page. */
  readonly folder: string
  /** True where a page can sign in with a token. */
  readonly offersSignIn: boolean
  /** Most connections without a proof of their rights. */
  readonly maxUnproven: number
  readonly prove: Prove
  /** Returns the origins of the pages of other servers of the team, as they are known now. */
  readonly otherOrigins: () => readonly string[]
  /** Takes ownership of the transport of a page with proven rights. */
  readonly accept: (transport: Transport, proven: Proven) => void
}

/** Returns the page for a listener, which hands over the connections with proven rights. */
export function createPageSource(options: SourceOptions): PageSource {
  const { folder, maxUnproven, accept, otherOrigins } = options
  const files = readPageFiles(folder)
  /** Connections of nobody yet, the newest last. */
  const unproven = new Set<Transport>()
  return {
    headers: pageHeaders,
    otherOrigins,
    respond: (path, { headers }) =>
      path === serversPath ? listOfServers(otherOrigins()) : files(path, headers['accept-encoding']?.toString()),
    async onConnection(transport, admit) {
      // The longest waiting connection makes room: a page proves its rights at once, a connection that is only held
      // does not.
      const [longest] = unproven
      if (longest !== undefined && unproven.size >= maxUnproven) {
        unproven.delete(longest)
        void longest.close()
      }
      unproven.add(transport)
      const proven = await greetPage(transport, options).finally(() => unproven.delete(transport))
      if (proven === null) return
      admit()
      accept(transport, proven)
    },
  }
}
