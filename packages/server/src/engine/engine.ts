import { inspect } from 'node:util'
import type { Config } from '@parley/config'
import { type Files, StorageError } from '@parley/journal'
import { createMcpServers, type McpPatience, type McpServers, usualPatience } from '@parley/mcp-client'
import { createProjects, createUserRules } from '@parley/policy'
import type { ConversationId, ParamsOf, ResultOf, ServerNotice } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { createEnvironments, type LocalParts, localEnvironment } from '@parley/workspace'
import type { Ids } from '../ports/ids.ts'
import type { CheckupPorts } from './checkup/check-up.ts'
import { type ConnectedClients, createConnectedClients } from './clients/connected-clients.ts'
import { type Ceiling, type CeilingFlags, ceilingOf, defaultCeilingFlags } from './limits/ceiling.ts'
import { ConversationHost } from './open/conversation-host.ts'
import { createSetup } from './open/conversation-setup.ts'
import { summaryOf } from './open/live-conversation.ts'
import type { SetupPorts } from './open/open-conversation.ts'
import { asRejection, storageNotice } from './replies/rejection.ts'
import { describeConfig, listModels } from './settings/describe-config.ts'
import { readConfig } from './settings/read-config.ts'

/**
 * Engine of one server process. Frontends translate their protocols to its methods and keep no state of conversations.
 */
export interface Engine extends AsyncDisposable {
  readonly host: ConversationHost
  readonly identity: ServerIdentity
  newClientId(): string
  readonly connectedClients: ConnectedClients
  /** Announces the addresses of this server beside every lock it holds, so that other processes can join. */
  listensAt(addresses: Addresses): void
  report(fault: unknown, conversationId?: ConversationId): void
  /** Returns the highest limits this server allows, read now from its command line and the user's own files. */
  readonly ceiling: () => Ceiling
  readonly mcpServers: McpServers
  /** Ports of the policy and checkup reports, whose code is loaded on first use. */
  readonly policy: CheckupPorts
  listModels(): Promise<ResultOf<'model/list'>>
  readConfig(params: ParamsOf<'config/read'>): ResultOf<'config/read'>
  readTrust(params: ParamsOf<'trust/read'>): Promise<ResultOf<'trust/read'>>
  decideTrust(params: ParamsOf<'trust/decide'>): Promise<ResultOf<'trust/decide'>>
  diagnose(): Promise<Omit<ResultOf<'server/diagnostics'>, 'ignoredMessages'>>
  readonly files: Files
  readonly home: string
}

/** Addresses that a server listens on. */
interface Addresses {
  /** Socket that other processes find the owner of a conversation by. */
  readonly socket: string | null
  readonly others: readonly string[]
}

export interface EngineParts
  extends Omit<SetupPorts, 'places' | 'mcpServers' | 'userRules' | 'projects' | 'ceiling' | 'notify'>,
    LocalParts {
  /** Time to wait for a lost link to an environment, in ms; default 30 s. */
  readonly linkPatienceMs?: number
  readonly identity: ServerIdentity
  readonly files: Files
  readonly ids: Ids
  readonly mcpPatience?: McpPatience
  /** Flags of the command line that set the ceiling; default: the default ceiling. */
  readonly ceiling?: CeilingFlags
  /** Writes to the server's own log file. */
  readonly writeLog: (line: string) => void
}

export function createEngine(parts: EngineParts): Engine {
  const { home, env, redaction } = parts
  const connectedClients = createConnectedClients()
  let addresses: readonly string[] = []
  const report = (fault: unknown, conversationId?: ConversationId) => {
    parts.writeLog(describeFault(fault))
    if (conversationId === undefined) return
    connectedClients.notifyAll({ ...noticeOf(fault), conversationId })
  }
  const { version } = parts.identity.serverInfo
  const mcpServers = createMcpServers({ ...parts, version, patience: parts.mcpPatience ?? usualPatience })
  const userRules = createUserRules(parts.home)
  const projects = createProjects(parts)
  const trust = { ...parts, projects }
  const ceiling = () => ceilingOf(parts.ceiling ?? defaultCeilingFlags, ownConfig(parts))
  const places = createEnvironments({ ...parts, local: localEnvironment(parts) })
  const host = new ConversationHost({
    files: parts.files,
    home: parts.home,
    ids: parts.ids,
    setup: createSetup({
      ...parts,
      ceiling,
      places,
      projects,
      mcpServers,
      userRules,
      report,
      notify: connectedClients.notifyAll,
    }),
    report,
  })
  return {
    host,
    identity: parts.identity,
    files: parts.files,
    home: parts.home,
    newClientId: () => parts.ids.client(),
    connectedClients,
    listensAt({ socket, others }) {
      addresses = [...(socket === null ? [] : [socket]), ...others]
      host.announce(socket)
    },
    report,
    ceiling,
    mcpServers,
    policy: { ...parts, places, projects, userRules },
    listModels: () => listModels(parts),
    readConfig: (params) => describeConfig(params, { home, env, projects, redaction }),
    // Loaded on first use: most servers never need it.
    readTrust: async (params) => (await import('./settings/trust.ts')).readTrust(params, trust),
    decideTrust: async (params) => (await import('./settings/trust.ts')).decideTrust(params, trust),
    async diagnose() {
      const { enforcement, reason } = await parts.sandboxes.report()
      const found = {
        enforcement,
        enforcementReason: reason,
        addresses: [...addresses],
        clients: connectedClients.describe(),
      }
      return { ...diagnose(host, parts), ...found }
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]().finally(() => places[Symbol.asyncDispose]()),
  }
}

/** Returns the user's own configuration with the profile this server was started with. */
function ownConfig({ home, ceiling }: EngineParts): Config {
  const profile = ceiling?.profile ?? null
  return readConfig(home, profile === null ? {} : { profile }).values
}

function diagnose(
  host: ConversationHost,
  { identity, home }: EngineParts,
): Omit<
  ResultOf<'server/diagnostics'>,
  'ignoredMessages' | 'addresses' | 'clients' | 'enforcement' | 'enforcementReason'
> {
  const { version, build } = identity.serverInfo
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
      clients: open.clients.streams.size,
      detached: open.clients.detached,
      backgroundProcesses: open.backgroundProcesses(),
      ...(open.modules.limits.reason === null ? {} : { enforcementReason: open.modules.limits.reason }),
    })),
  }
}

function describeFault(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : inspect(fault)
}

/** Describes a fault for a notice. A full disk comes without advice to repeat a request: no client made one. */
function noticeOf(fault: unknown): Omit<ServerNotice, 'conversationId'> {
  if (fault instanceof StorageError) return { level: 'error', code: 'storageFailed', ...storageNotice(fault) }
  const known = asRejection(fault)
  if (known instanceof RpcError)
    return { level: 'error', code: String(known.data?.['code'] ?? 'internal'), message: known.message }
  const message = 'Something went wrong in parley itself; its log says more.'
  return { level: 'error', code: 'internal', message }
}

/** Identity that a server reports in its handshake. */
export interface ServerIdentity {
  readonly serverInfo: { readonly name: string; readonly version: string; readonly build: string }
  /** `$PARLEY_HOME`. */
  readonly home: string
}
