import type { Sandboxes } from '@parley/host'
import { type UserRules, widerRules } from '@parley/policy'
import type { ConversationId, ResultOf } from '@parley/protocol'
import { type Addresses, namedAddresses } from './addresses.ts'
import type { ConnectedClients } from './connected-clients.ts'
import type { ServerIdentity } from './engine-parts.ts'
import type { Guest } from './limits/may-loosen.ts'
import { summaryOf } from './live/live-conversation.ts'
import { gaugeText, type ProcessState } from './metrics/gauges.ts'
import type { ConversationHost } from './open/conversation-host.ts'

/** State of a server, without the facts that concern one connection only. */
type ServerState = Omit<ResultOf<'server/diagnostics'>, 'ignoredMessages'>

/** State of a server as its clients and Prometheus read it. */
export interface Diagnostics {
  /** Writes the present state as Prometheus reads it. */
  gauges(state: ProcessState): string
  /** Resolves to the state of this server, as far as the client may know it. */
  read(client: Guest): Promise<ServerState>
}

interface DiagnosedServer {
  readonly host: ConversationHost
  readonly clients: ConnectedClients
  readonly identity: ServerIdentity
  readonly addresses: () => Addresses
  readonly sandboxes: Pick<Sandboxes, 'report'>
  readonly userRules: UserRules
  /** True where conversations are in a store that servers share. */
  readonly isShared: boolean
}

export function createDiagnostics(server: DiagnosedServer): Diagnostics {
  const { host, clients, identity, addresses, sandboxes, userRules, isShared } = server
  return {
    gauges(state) {
      const { conversations } = host
      return gaugeText({ conversations, clients: clients.describe().length, isShared }, state)
    },
    async read(client) {
      const { enforcement, reason: enforcementReason } = await sandboxes.report()
      const found = widerRules(userRules.rules)
      const all = {
        ...describeProcess(host, identity),
        enforcement,
        enforcementReason,
        addresses: namedAddresses(addresses()),
        clients: clients.describe(),
        ...(found.length === 0 ? {} : { widerRules: [...found] }),
      }
      return knownTo(client, all, host)
    },
  }
}

/** Describes the process and its open conversations. */
function describeProcess(
  host: ConversationHost,
  { serverInfo: { version, build }, home }: ServerIdentity,
): Omit<ServerState, 'addresses' | 'clients' | 'enforcement' | 'enforcementReason'> {
  return {
    pid: process.pid,
    version,
    build,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    home,
    uptimeMs: Math.round(process.uptime() * 1000),
    rssBytes: process.memoryUsage.rss(),
    conversations: host.conversations.map((open) => ({
      conversationId: open.conversation.id,
      activity: summaryOf(open).activity,
      clients: open.clients.followerCount,
      detached: open.clients.detached,
      backgroundProcesses: open.processes.running(),
      ...(open.roles.act.limits.reason === null ? {} : { enforcementReason: open.roles.act.limits.reason }),
    })),
  }
}

/** Returns the part of the state that a client may know: the clients of its user, and conversations that it may read. */
function knownTo(
  { rights }: Pick<Guest, 'rights'>,
  all: ServerState,
  host: Pick<ConversationHost, 'openAccess'>,
): ServerState {
  const { person } = rights
  if (person.kind === 'operator') return all
  const { widerRules: _, clients, conversations, ...rest } = all
  const mayRead = (conversationId: ConversationId) =>
    rights.permits('read', { conversationId, access: host.openAccess(conversationId)?.access })
  return {
    ...rest,
    clients: clients.filter(({ user }) => person.kind === 'user' && user === person.name),
    conversations: conversations.filter(({ conversationId }) => mayRead(conversationId)),
  }
}
