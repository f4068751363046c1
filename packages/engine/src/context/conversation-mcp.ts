import type { McpLease, McpServer, McpServers } from '@parley/mcp-client'
import type { ToolRules, ToolSpec } from '@parley/models'
import { serverSandboxMode } from '@parley/policy'
import { type ItemId, type SandboxMode, settingsInForce } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import type { Tool } from '../tools/contract/tool.ts'
import { type McpToolSpec, mcpSpecsIn, mcpTool, toolSpecs } from '../tools/mcp/mcp-tool.ts'
import { resourceTools } from '../tools/mcp/resource-tools.ts'
import { mcpNotices } from './mcp-notices.ts'

/** MCP servers of one conversation: tools that the model is offered, and tools that run its calls. */
export interface ConversationMcp extends AsyncDisposable {
  /** Starts the servers in the background. */
  begin(): void
  /**
   * Returns the tools to offer now, in a form that the API of the model takes. The first call waits for starting servers: briefly while a person watches, in a
   * script up to each server's own limit. A server that is ready later is offered in the next turn.
   */
  offered(signal: AbortSignal, rules: () => ToolRules | undefined): Promise<readonly ToolSpec[]>
  /** Returns the tools of the servers that the log says were offered. */
  tools(): readonly Tool[]
  names(): readonly string[]
  /** Leases the servers anew if the sandbox mode has changed, so that no server keeps the limits of the old mode. */
  relimit(): void
}

interface McpParts<Config> {
  readonly conversation: Conversation
  /** Returns the servers under the limits of a sandbox mode. */
  readonly lease: (sandbox: SandboxMode, config: Config) => McpLease
  /** Returns the configuration that the servers stand in; another one once the project of another machine was read. */
  readonly config: () => Config
  readonly newItemId: () => ItemId
  /** Tells if a client that can answer follows the conversation. */
  readonly isWatched: () => boolean
}

export function createConversationMcp<Config>(parts: McpParts<Config>): ConversationMcp {
  const { conversation, isWatched } = parts
  let leased = leaseServers(parts)
  let released: Promise<unknown> = Promise.resolve()

  function current(): LeasedServers {
    const mode = serverSandboxMode(settingsInForce(conversation.state.core).sandbox)
    if (mode === leased.mode && leased.config === parts.config()) return leased
    const before = leased
    // Leased before the old lease ends, so that servers in both stay running.
    leased = leaseServers(parts)
    before.notices.stop()
    released = Promise.all([released, before.lease[Symbol.asyncDispose]()])
    // Disposal awaits the same promise and reports its failure.
    released.catch(() => undefined)
    return leased
  }

  function begin(): void {
    for (const server of current().lease.servers) server.begin()
  }

  async function waitOnce(now: LeasedServers, signal: AbortSignal): Promise<void> {
    const { servers, patience } = now.lease
    if (now.hasWaited) return
    now.hasWaited = true
    const settled = Promise.all(servers.map((server) => server.settled))
    await (isWatched()
      ? Promise.race([settled, elapsed(patience.firstRequestMs, signal)])
      : Promise.race([settled, whenAborted(signal)]))
  }

  return {
    begin,
    async offered(signal, rules) {
      begin()
      await waitOnce(current(), signal)
      const { lease, lookUps, notices } = current()
      const { specs, changed } = toolSpecs(lease.servers, rules())
      notices.recordNew()
      notices.recordOffer(changed)
      const hasResources = lease.servers.some((server) => server.hasResources)
      return [...(hasResources ? lookUps.map(specOf) : []), ...specs]
    },
    tools() {
      const now = current()
      const file = conversation.state.core.context?.tools
      if (file !== now.parsed.file)
        now.parsed = { file, tools: [...now.lookUps, ...toolsIn(conversation, file, now.lease.servers)] }
      return now.parsed.tools
    },
    names: () => current().lease.servers.map(({ name }) => name),
    relimit: () => void current(),
    async [Symbol.asyncDispose]() {
      leased.notices.stop()
      await Promise.all([released, leased.lease[Symbol.asyncDispose]()])
    },
  }
}

/** Servers leased under the limits of one mode, with their look-up tools and notices. */
interface LeasedServers {
  readonly mode: ReturnType<typeof serverSandboxMode>
  readonly config: unknown
  readonly lease: McpLease
  readonly lookUps: readonly Tool[]
  readonly notices: ReturnType<typeof mcpNotices>
  hasWaited: boolean
  /** Tools that the side file of the log names. */
  parsed: { readonly file: string | undefined; readonly tools: readonly Tool[] }
}

function leaseServers<Config>(parts: McpParts<Config>): LeasedServers {
  const { conversation, newItemId } = parts
  const { sandbox } = settingsInForce(conversation.state.core)
  const config = parts.config()
  const lease = parts.lease(sandbox, config)
  const { servers } = lease
  return {
    mode: serverSandboxMode(sandbox),
    config,
    lease,
    lookUps: servers.length === 0 ? [] : resourceTools(servers),
    notices: mcpNotices(conversation, servers, newItemId),
    hasWaited: servers.length === 0,
    parsed: { file: undefined, tools: [] },
  }
}

function specOf({ name, description, parameters }: Tool): ToolSpec {
  return { name, description, parameters: parameters() }
}

function toolsIn({ sideFiles }: Conversation, file: string | undefined, servers: readonly McpServer[]): Tool[] {
  const specs: readonly McpToolSpec[] = file === undefined ? [] : mcpSpecsIn(sideFiles.readText(file))
  return specs.map((spec) => mcpTool(spec, servers))
}

function elapsed(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs)
    timer.unref()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Restarts a server, running or failed; resolves as it starts. Throws `invalidParams` for an unknown name. */
export async function restartMcpServer(servers: McpServers, name: string): Promise<Record<string, never>> {
  if ((await servers.restart(name)) > 0) return {}
  const names = servers.describe().map((server) => server.name)
  if (names.includes(name))
    throw invalidParam('name', `The MCP server "${name}" is switched off: enabled = false in its section.`)
  const known =
    names.length === 0 ? 'None is configured for the conversations open here.' : `There are: ${names.join(', ')}.`
  throw rejection('invalidParams', `There is no MCP server "${name}". ${known}`, { field: 'name', nearest: names })
}
