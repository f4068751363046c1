import { inspect } from 'node:util'
import { type Config, shownValue } from '@parley/config'
import { type Files, StorageError } from '@parley/journal'
import { createMcpServers, type McpPatience, type McpServers, usualPatience } from '@parley/mcp-client'
import { probeLocal } from '@parley/models'
import { createProjects, createUserRules, type Projects, trustNotice } from '@parley/policy'
import type { ParamsOf, ResultOf, ServerNotice } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { createEnvironments, type LocalParts, localEnvironment } from '@parley/workspace'
import type { ServerIdentity } from '../identity.ts'
import type { Ids } from '../ports/ids.ts'
import type { CheckupPorts } from './checkup/check-up.ts'
import { type ConnectedClients, createConnectedClients } from './clients/connected-clients.ts'
import { type Ceiling, type CeilingFlags, ceilingOf, defaultCeilingFlags } from './limits/ceiling.ts'
import { ConversationHost } from './open/conversation-host.ts'
import { createSetup } from './open/conversation-setup.ts'
import { summaryOf } from './open/live-conversation.ts'
import type { SetupPorts } from './open/open-conversation.ts'
import { asRejection, storageNotice } from './replies/rejection.ts'
import { chooseProvider, keyVariables } from './settings/choose-provider.ts'
import { configHere, readConfig } from './settings/read-config.ts'

/** Everything one server process is. Faces map names and shapes onto it and hold no truth. */
export interface Engine extends AsyncDisposable {
  readonly host: ConversationHost
  readonly identity: ServerIdentity
  newClientId(): string
  readonly connectedClients: ConnectedClients
  /** Where others reach this server; what is open here says so to those who want it elsewhere. */
  listensAt(addresses: Addresses): void
  report(fault: unknown, conversationId?: string): void
  /** The most that it allows, as its command line and the user's own files say now. */
  readonly ceiling: () => Ceiling
  readonly mcpServers: McpServers
  /** For saying what the policy says and how things stand; the code that does is loaded when it is asked for. */
  readonly policy: CheckupPorts
  listModels(): Promise<ResultOf<'model/list'>>
  readConfig(params: ParamsOf<'config/read'>): ResultOf<'config/read'>
  readTrust(params: ParamsOf<'trust/read'>): Promise<ResultOf<'trust/read'>>
  decideTrust(params: ParamsOf<'trust/decide'>): Promise<ResultOf<'trust/decide'>>
  diagnose(): Promise<Omit<ResultOf<'server/diagnostics'>, 'ignoredMessages'>>
  readonly files: Files
  readonly home: string
}

/** Where a server listens. */
interface Addresses {
  /** The one that the owner of a conversation is found by. */
  readonly socket: string | null
  readonly others: readonly string[]
}

export interface EngineParts
  extends Omit<SetupPorts, 'places' | 'mcpServers' | 'userRules' | 'projects' | 'ceiling' | 'notify'>,
    LocalParts {
  /** How long a lost link to an environment is waited for; 30 s unless told. */
  readonly linkPatienceMs?: number
  readonly identity: ServerIdentity
  readonly files: Files
  readonly ids: Ids
  readonly mcpPatience?: McpPatience
  /** How much it may ever allow, as its command line says; nothing more than the default unless told. */
  readonly ceiling?: CeilingFlags
  /** Writes to the server's own log file. */
  readonly writeLog: (line: string) => void
}

export function createEngine(parts: EngineParts): Engine {
  const connectedClients = createConnectedClients()
  let addresses: readonly string[] = []
  const report = (fault: unknown, conversationId?: string) => {
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
    readConfig: (params) => describeConfig(params, { ...parts, projects }),
    // Only who asks for it loads it.
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

async function listModels({ home, env, models }: EngineParts): Promise<ResultOf<'model/list'>> {
  const { values } = readConfig(home, {})
  const chosen = chooseProvider(values, env)
  const sourceOf = models(values)
  const ids = [...new Set([...(chosen === null ? [] : [chosen.id]), ...Object.keys(values.model_providers ?? {})])]
  const { signal } = new AbortController()
  const [listings, local] = await Promise.all([
    Promise.all(ids.map(async (id) => ({ id, listing: await sourceOf(id).client.listModels(signal) }))),
    probeLocal(signal),
  ])
  return {
    models: listings.flatMap(({ id: provider, listing }) =>
      listing.type === 'models'
        ? listing.models.map((id) => ({ provider, id, current: chosen?.id === provider && chosen.model === id }))
        : [],
    ),
    problems: listings.flatMap(({ id: provider, listing }) =>
      listing.type === 'failed' ? [{ provider, message: listing.failure.message }] : [],
    ),
    local: local.map(({ provider, models: names }) => ({
      provider: provider.id,
      name: provider.name,
      baseUrl: provider.baseUrl,
      models: [...names],
    })),
  }
}

/** What the user's own file says, with the profile that this server was started for. */
function ownConfig({ home, ceiling }: EngineParts): Config {
  const profile = ceiling?.profile ?? null
  return readConfig(home, profile === null ? {} : { profile }).values
}

function describeConfig(
  params: ParamsOf<'config/read'>,
  { home, env, projects, redaction }: EngineParts & { readonly projects: Projects },
): ResultOf<'config/read'> {
  const { effective, project } = configHere(params.cwd, params, { home, projects })
  const { values, origins } = effective
  const notice = trustNotice(project)
  const warnings = [...effective.warnings, ...(notice === null ? [] : [notice])]
  const chosen = chooseProvider(values, env)
  const shown = [...origins].map(([key, origin]) => ({
    key,
    value: shownValue(key, valueAt(values, key), redaction.text),
    origin,
  }))
  const defaults = [
    { key: 'model_provider', value: chosen?.id ?? null, origin: 'default' },
    { key: 'model', value: chosen?.model ?? null, origin: 'default' },
    { key: 'approval_policy', value: 'on-request', origin: 'default' },
    { key: 'sandbox_mode', value: 'workspace-write', origin: 'default' },
  ].filter(({ key }) => !origins.has(key))
  return {
    values: [...shown, ...defaults].sort((a, b) => (a.key < b.key ? -1 : 1)),
    warnings: [...warnings],
    credentials: { found: chosen !== null, variables: keyVariables(values) },
  }
}

function valueAt(values: object, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>(
      (table, part) =>
        typeof table === 'object' && table !== null
          ? Object.entries(table).find(([name]) => name === part)?.[1]
          : undefined,
      values,
    )
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

/** Nobody has asked for what failed by itself, so a full disk comes without the advice to ask again. */
function noticeOf(fault: unknown): Omit<ServerNotice, 'conversationId'> {
  if (fault instanceof StorageError) return { level: 'error', code: 'storageFailed', ...storageNotice(fault) }
  const known = asRejection(fault)
  if (known instanceof RpcError)
    return { level: 'error', code: String(known.data?.['code'] ?? 'internal'), message: known.message }
  const message = 'Something went wrong in parley itself; its log says more.'
  return { level: 'error', code: 'internal', message }
}
