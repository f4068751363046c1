import type { McpServer as McpServerState } from '@parley/protocol'
import type { McpPatience, McpPorts } from './open-server.ts'
import { McpServer } from './server.ts'
import { identityOf, type McpSettings } from './settings.ts'
import type { ProgramPlace } from './start-program.ts'

/** Servers of one conversation. Disposal stops every server that no other conversation uses. */
export interface McpLease extends AsyncDisposable {
  /** Servers in the order of the settings. Each starts with its `begin`. */
  readonly servers: readonly McpServer[]
  readonly patience: McpPatience
}

/** All MCP servers of this process. Conversations with equal settings and place share one, up to the last of them. */
export interface McpServers {
  /** `place`: where programs start; null for this machine. */
  lease(settings: readonly McpSettings[], place: ProgramPlace | null): McpLease
  describe(): McpServerState[]
  /** Restarts the enabled servers of a name and returns their number. */
  restart(name: string): Promise<number>
}

export function createMcpServers(ports: McpPorts): McpServers {
  const known = new Map<string, { readonly server: McpServer; users: number }>()

  function keyOf(settings: McpSettings, place: ProgramPlace | null): string {
    const isElsewhere = place !== null && settings.launch.kind === 'stdio'
    return isElsewhere ? `${place.key} ${identityOf(settings)}` : identityOf(settings)
  }

  function take(settings: McpSettings, place: ProgramPlace | null): McpServer {
    const key = keyOf(settings, place)
    const entry = known.get(key) ?? { server: new McpServer(settings, ports, place), users: 0 }
    known.set(key, entry)
    entry.users += 1
    return entry.server
  }

  async function release({ settings }: McpServer, place: ProgramPlace | null): Promise<void> {
    const key = keyOf(settings, place)
    const entry = known.get(key)
    if (entry === undefined) return
    entry.users -= 1
    if (entry.users > 0) return
    known.delete(key)
    await entry.server[Symbol.asyncDispose]()
  }

  return {
    lease(settings, place) {
      const servers = settings.map((one) => take(one, place))
      return {
        servers,
        patience: ports.patience,
        async [Symbol.asyncDispose]() {
          await Promise.all(servers.map((server) => release(server, place)))
        },
      }
    },
    describe: () =>
      [...known.values()].map(({ server }) => server.describe()).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    async restart(name) {
      const named = [...known.values()].filter(({ server }) => server.name === name && server.settings.enabled)
      await Promise.all(named.map(({ server }) => server.restart()))
      return named.length
    },
  }
}
