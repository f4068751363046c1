import type { Engine, Metrics } from '@parley/engine'
import type { SharedStore, StoreServers } from '@parley/engine/shared-store'
import type { PageSource } from '@parley/rpc/websocket'
import { relayTargets } from '@parley/team/relays'
import type { Connections } from '../../frontends/conversation/connections.ts'
import { watchTeamOrigins } from '../../frontends/web/team-origins.ts'
import { createTeamPage } from '../../frontends/web/team-page.ts'
import type { ServerArguments } from '../arguments.ts'
import { watchProcess } from './watch-process.ts'
import { watchReadiness } from './watch-readiness.ts'

interface WebsocketServer {
  readonly engine: Engine
  readonly connections: Connections
  readonly store: SharedStore | null
  readonly metrics: Metrics | undefined
  /** Folder of the page. */
  readonly folder: string
}

/** Returns the check of tokens at the websockets of a server, and their answers to requests of HTTP. */
export function websocketOptions(args: ServerArguments, server: WebsocketServer) {
  const { engine, store, metrics } = server
  return {
    rightsOf: engine.rights.ofToken,
    machines: engine.machines,
    relayTo: store === null ? undefined : relayTargets(store.servers, args.ca),
    page: args.page ? teamPage(server) : undefined,
    unready: watchReadiness(store, args),
    metrics: metrics === undefined ? undefined : metricsText(engine, metrics),
  }
}

/** Returns the page for browsers; undefined where the server has no users. */
function teamPage({ engine, folder, connections, store }: WebsocketServer): PageSource | undefined {
  const rightsOf = engine.rights.ofToken
  if (rightsOf === null) return undefined
  // It looks until the process ends: its timer holds nothing up.
  const origins = store === null ? null : watchTeamOrigins(() => pagesOf(store.servers))
  return createTeamPage({
    folder,
    rightsOf,
    otherOrigins: () => origins?.known() ?? [],
    accept: (transport, proven) => connections.accept(transport, 'websocket', proven),
  })
}

async function pagesOf(servers: Pick<StoreServers, 'others'>): Promise<readonly string[]> {
  return (await servers.others()).flatMap(({ page }) => page ?? [])
}

/** Returns the function that writes all metrics of this process. */
function metricsText(engine: Engine, metrics: Metrics): () => string {
  const state = watchProcess(engine.identity.serverInfo.version)
  return () => `${metrics.text()}${engine.diagnostics.gauges(state())}`
}
