import { type ConnectOptions, connect, type Parley } from '@parley/client'
import { type Connect, connectClient, failedConnection, reachServer } from '@parley/client/low-level'
import type { NamedServer } from '@parley/client/named-servers'
import type { ClientFiles, EditorServers, StartCommand } from '@parley/engine'
import type { Transport } from '@parley/rpc'

/** Connects to servers that run already with the client library, which goes on at the next when one is lost. */
export function libraryOnServers({ urls, ...access }: NamedServer, options: ConnectOptions): Promise<Parley> {
  return connect({ urls, ...access }, options)
}

/** Returns the function that connects a frontend to the first server that answers. */
export function connectorToServers({ urls, ...access }: NamedServer): Connect {
  return async (who) => {
    const { url, transport } = await firstTransport(urls, access)
    return connectClient({ ...who, reach: { ...access, through: url }, transport })
  }
}

async function firstTransport(
  urls: readonly string[],
  access: Omit<NamedServer, 'urls'>,
): Promise<{ readonly url: string; readonly transport: Transport }> {
  const failures = new Map<string, unknown>()
  for (const url of urls) {
    try {
      return { url, transport: await reachServer(url, access) }
    } catch (error) {
      failures.set(url, error)
    }
  }
  throw failedConnection(failures)
}

const refusal = {
  kind: 'refused',
  reason: 'this program goes to a server of a team: commands and files are those of threads there',
} as const

/** Refuses commands without a thread: they would run on this machine, and threads on another. */
export const noCommands: StartCommand = async () => refusal

/** Starts no server of an editor: it would run on this machine, and sessions on another. */
export const noEditorServers: EditorServers = {
  offer: async () => ({ kind: 'refused', reason: 'sessions are on a server of a team' }),
  decide: async () => undefined,
  withdraw: async () => undefined,
}

/** Refuses files without a thread, for the same reason. */
export const noFiles: ClientFiles = {
  read: async () => refusal,
  list: async () => refusal,
  find: async () => refusal,
  look: async () => refusal,
}
