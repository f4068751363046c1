import type { Transport } from '@parley/rpc'
import type { PageSource } from '@parley/rpc/websocket'
import { greetPage, type Prove, type Proven } from './greet-page.ts'
import { listOfServers, pageHeaders, readPageFiles, serversPath } from './page-files.ts'

interface SourceOptions {
  /** Folder of the built page. */
  readonly folder: string
  /** True where whoever has a token may sign in on the page. */
  readonly offersSignIn: boolean
  /** Most connections that have not proven who they are. */
  readonly maxUnproven: number
  readonly prove: Prove
  /** Returns the origins of the pages of other servers of the team, as they are known now. */
  readonly otherOrigins: () => readonly string[]
  /** Takes ownership of the transport of a page that has proven who it is. */
  readonly accept: (transport: Transport, proven: Proven) => void
}

/** Returns the page for a listener, which hands over the connections of those who have proven who they are. */
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
      // The one that waits longest makes room: a page proves at once who it is, and who only holds connections does not.
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
