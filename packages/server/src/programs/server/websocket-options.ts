import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Engine, Metrics, ProcessState } from '@parley/engine'
import type { SharedStore, StoreServers } from '@parley/engine/shared-store'
import type { PageSource } from '@parley/rpc/websocket'
import { relayTargets } from '@parley/team/relays'
import type { Connections } from '../../frontends/conversation/connections.ts'
import { createTeamPage, watchTeamOrigins } from '../../frontends/web/team-page.ts'
import type { ServerArguments } from '../arguments.ts'

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

/**
 * Returns the function that tells why clients cannot be served; null while they can. It does not ask the store, since a
 * balancer gives a server a second. It names no address, since a probe brings no token.
 */
function watchReadiness(
  store: Pick<SharedStore, 'awayMs' | 'watchLeaders'> | null,
  { listen }: Pick<ServerArguments, 'listen'>,
): () => string | null {
  // Only websockets answer probes.
  if (store === null || listen.every(({ kind }) => kind === 'socket')) return () => null
  const leaderless = store.watchLeaders()
  return () => {
    if (store.awayMs !== null) return 'The store does not answer.'
    const names = leaderless()
    if (names.length === 0) return null
    return `The store has no leader for ${names.join(', ')}: its servers elect one, or too few of them are there.`
  }
}

const resolutionMs = 20
const nsPerSecond = 1e9

/** Measures this process from now on. Returns the function that reads the measures. */
function watchProcess(version: string): () => ProcessState {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  return () => {
    // Node counts the pause between two looks as well.
    const beyond = (ns: number) => Math.max(0, ns / nsPerSecond - resolutionMs / 1000)
    const loopDelays = {
      0.5: beyond(delays.percentile(50)),
      0.99: beyond(delays.percentile(99)),
      1: beyond(delays.max),
    }
    // Each reading is about the time since the one before: over all time a maximum says nothing about now.
    delays.reset()
    const { rss, heapUsed, external } = process.memoryUsage()
    return { version, uptimeSeconds: process.uptime(), loopDelays, memory: { rss, heapUsed, external } }
  }
}
