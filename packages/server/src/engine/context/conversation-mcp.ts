import type { McpLease, McpServer, McpServers } from '@parley/mcp-client'
import type { ToolSpec } from '@parley/models'
import { serverSandboxMode } from '@parley/policy'
import type { SandboxMode } from '@parley/protocol'
import { type McpToolSpec, mcpSpecsIn, mcpTool, toolSpecs } from '../../tools/mcp/mcp-tool.ts'
import { resourceTools } from '../../tools/mcp/resource-tools.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import { rejection } from '../replies/rejection.ts'

/** Of the last line that a server wrote to stderr. */
const shownCharacters = 200

/** The MCP servers of one conversation: what the model is offered of them, and what its calls are understood by. */
export interface ConversationMcp extends AsyncDisposable {
  /** Starts them in the background; whoever opens the conversation does not wait. */
  begin(): void
  /**
   * What to offer now. The first time it waits for servers that start: a moment where a person waits, in a script up to
   * their own limits. One that is ready later is offered in the next turn.
   */
  offered(signal: AbortSignal): Promise<readonly ToolSpec[]>
  /** The tools of the servers that the log says were offered. */
  tools(): readonly Tool[]
  /** The sandbox mode may be another: what a project configures does not go on under the limits of the last one. */
  relimit(): void
}

interface McpParts {
  readonly conversation: Conversation
  /** The servers as they are limited in a mode. */
  readonly lease: (sandbox: SandboxMode) => McpLease
  readonly newItemId: () => string
  /** A person may be waiting. */
  readonly isWatched: () => boolean
}

export function createConversationMcp(parts: McpParts): ConversationMcp {
  const { conversation, isWatched } = parts
  let held = hold(parts)
  let released: Promise<unknown> = Promise.resolve()

  function current(): Held {
    if (serverSandboxMode(conversation.state.core.settings.sandbox) === held.mode) return held
    const before = held
    // Taken before the others go, so that those that are the same stay.
    held = hold(parts)
    before.notices.stop()
    released = Promise.all([released, before.lease[Symbol.asyncDispose]()])
    // Whoever ends the conversation is told.
    released.catch(() => undefined)
    return held
  }

  function begin(): void {
    for (const server of current().lease.servers) server.begin()
  }

  async function waitOnce(now: Held, signal: AbortSignal): Promise<void> {
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
    async offered(signal) {
      begin()
      await waitOnce(current(), signal)
      const { lease, lookUps, notices } = current()
      notices.tell()
      const hasResources = lease.servers.some((server) => server.hasResources)
      return [...(hasResources ? lookUps.map(specOf) : []), ...toolSpecs(lease.servers)]
    },
    tools() {
      const now = current()
      const file = conversation.state.core.context?.tools
      if (file !== now.known.file)
        now.known = { file, tools: [...now.lookUps, ...toolsIn(conversation, file, now.lease.servers)] }
      return now.known.tools
    },
    relimit: () => void current(),
    async [Symbol.asyncDispose]() {
      held.notices.stop()
      await Promise.all([released, held.lease[Symbol.asyncDispose]()])
    },
  }
}

/** The servers under the limits of one mode, and what was made for them. */
interface Held {
  readonly mode: ReturnType<typeof serverSandboxMode>
  readonly lease: McpLease
  readonly lookUps: readonly Tool[]
  readonly notices: ReturnType<typeof failureNotices>
  hasWaited: boolean
  known: { readonly file: string | undefined; readonly tools: readonly Tool[] }
}

function hold({ conversation, lease: leaseFor, newItemId }: McpParts): Held {
  const { sandbox } = conversation.state.core.settings
  const lease = leaseFor(sandbox)
  const { servers } = lease
  return {
    mode: serverSandboxMode(sandbox),
    lease,
    lookUps: servers.length === 0 ? [] : resourceTools(servers),
    notices: failureNotices(conversation, servers, newItemId),
    hasWaited: servers.length === 0,
    known: { file: undefined, tools: [] },
  }
}

function specOf({ name, description, parameters }: Tool): ToolSpec {
  return { name, description, parameters }
}

function toolsIn({ sideFiles }: Conversation, file: string | undefined, servers: readonly McpServer[]): Tool[] {
  const specs: readonly McpToolSpec[] = file === undefined ? [] : mcpSpecsIn(sideFiles.readText(file))
  return specs.map((spec) => mcpTool(spec, servers))
}

/** A server that failed is told in the conversation, once it has a log: at once, else with its first turn. */
function failureNotices(conversation: Conversation, servers: readonly McpServer[], newItemId: () => string) {
  const told = new Map<McpServer, string>()
  const tell = () => {
    if (!conversation.started || conversation.readOnly) return
    for (const server of servers) {
      const { failure } = server
      if (failure === null) told.delete(server)
      if (failure === null || told.get(server) === failure) continue
      told.set(server, failure)
      unlessStorageFails(() => void conversation.record({ type: 'item.completed', item: notice(server, newItemId()) }))
    }
  }
  const leave = servers.map((server) => server.onChange(tell))
  return {
    tell,
    stop: () => {
      for (const stop of leave) stop()
    },
  }
}

/** True for scripts and for people: in the terminal `/mcp restart NAME` starts it again. */
function notice({ name, failure, stderr, logPath }: McpServer, id: string) {
  const [lastWords = ''] = stderr.split('\n').slice(-1)
  const why = lastWords === '' ? failure : `${failure} (${lastWords.slice(0, shownCharacters)})`
  const title = `The MCP server "${name}" is not available: ${why}. Its log is ${logPath}; in the terminal \`/mcp restart ${name}\` starts it again.`
  return noticeItem(id, { level: 'warning', code: 'mcpServerFailed', title, text: stderr === lastWords ? '' : stderr })
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

/** Also one that failed. Resolves once it is being started; how that goes is its state. */
export async function restartMcpServer(servers: McpServers, name: string): Promise<Record<string, never>> {
  if ((await servers.restart(name)) > 0) return {}
  const names = servers.describe().map((server) => server.name)
  if (names.includes(name))
    throw rejection('invalidParams', `The MCP server "${name}" is switched off: enabled = false in its section.`, {
      field: 'name',
    })
  const known =
    names.length === 0 ? 'None is configured for the conversations open here.' : `There are: ${names.join(', ')}.`
  throw rejection('invalidParams', `There is no MCP server "${name}". ${known}`, { field: 'name', nearest: names })
}
