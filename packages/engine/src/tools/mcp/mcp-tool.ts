import { createHash } from 'node:crypto'
import { type McpLaunch, type McpServer, type NamedTool, offeredNames, type ServerTool } from '@parley/mcp-client'
import { fitTool, originalArguments, type ToolRules, type ToolSpec } from '@parley/models'
import type { McpFacts } from '@parley/policy'
import { firstBytes, isRecord } from '@parley/text'
import type { PreparedCall, Tool } from '../contract/tool.ts'
import { failureOutcome, runMcpCall } from './run-mcp-call.ts'

/** Returns a tool of an MCP server as the log records its offer, which works without the server being available. */
export function mcpTool(spec: McpToolSpec, servers: readonly McpServer[]): Tool {
  const { name, description, parameters, mcp } = spec
  return {
    name,
    description,
    parameters: () => parameters,
    readOnly: false,
    prepare(args) {
      if (!isRecord(args)) return { problem: 'They must be an object.' }
      const server = servers.find((known) => known.name === mcp.server)
      const original = mcp.renamed === undefined ? args : originalArguments(args, mcp.renamed)
      return prepareMcpCall({ spec, args: original }, server)
    },
  }
}

interface OfferedCall {
  readonly spec: McpToolSpec
  readonly args: Readonly<Record<string, unknown>>
}

function prepareMcpCall({ spec, args }: OfferedCall, found: McpServer | undefined): PreparedCall {
  const { server, tool } = spec.mcp
  const input = JSON.stringify(args)
  return {
    describe: () => ({
      type: 'toolCall',
      kind: 'other',
      title: `${server}: ${tool}`.replaceAll(/\s+/g, ' '),
      text: JSON.stringify(args, null, 2),
      input,
    }),
    facts: async () => ({
      kind: 'mcp',
      tool: spec.name,
      server,
      name: tool,
      ...confinedFact(found?.settings.launch),
      readOnly: false,
      ...shownHashes(found, { args, tool: offeredNow(spec, found) }),
    }),
    plan: async () => ({
      // With the command behind the server's name, so that an approval covers no other.
      payload: JSON.stringify({ server, tool, args, launch: found?.settings.launch ?? null }),
      run: async (context) =>
        found === undefined
          ? failureOutcome('mcpServerUnavailable', `Not sent: no MCP server "${server}" is configured any more.`)
          : runMcpCall(found, { tool, args }, context),
    }),
  }
}

/** Returns a tool as its server offers it now; as the model was offered it while that is not known. */
function offeredNow({ description, parameters, mcp }: McpToolSpec, found: McpServer | undefined) {
  const known = found?.tools.find(({ name }) => name === mcp.tool)
  return known ?? { title: null, description, inputSchema: parameters }
}

/**
 * Returns the limits of a server's process. A server that may run without a sandbox somewhere counts as unlimited
 * everywhere.
 */
function confinedFact(launch: McpLaunch | undefined): Pick<McpFacts, 'confined'> {
  if (launch?.kind !== 'stdio' || launch.sandboxPolicy === undefined || launch.sandboxPolicy.mayRunUnsandboxed)
    return {}
  const { mode, network } = launch.sandboxPolicy
  return { confined: { mode, network } }
}

/** Offered tool of an MCP server, as the log records it: with server and tool name, so that calls find it. */
export interface McpToolSpec extends ToolSpec {
  readonly mcp: NamedTool & {
    /** Names of properties as the model has them, with the tool's own names; left out where they are the same. */
    readonly renamed?: Readonly<Record<string, string>>
  }
}

/** Limit for descriptions, since a server may send anything. */
const maxDescriptionBytes = 4 * 1024

interface OfferedServer {
  readonly name: string
  readonly tools: readonly ServerTool[]
}

/** Tool that is offered in another form, with the keywords that the API of the model refuses. */
export interface ChangedTool extends NamedTool {
  readonly folded: readonly string[]
}

/** Returns the tools of all servers as the API takes them. Their order does not depend on which server was ready first. */
export function toolSpecs(
  servers: readonly OfferedServer[],
  rules: ToolRules | undefined,
): { readonly specs: readonly McpToolSpec[]; readonly changed: readonly ChangedTool[] } {
  const all = servers
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, tools }) => tools.map((tool) => ({ server: name, tool })))
  const names = offeredNames(all.map(({ server, tool }) => ({ server, tool: tool.name })))
  const changed: ChangedTool[] = []
  const specs = all.map(({ server, tool }, index): McpToolSpec => {
    const description = firstBytes(tool.description, maxDescriptionBytes)
    const { folded, renamed, ...fitted } = fitTool({ description, parameters: tool.inputSchema }, rules)
    if (folded.length > 0) changed.push({ server, tool: tool.name, folded })
    const mapped = Object.keys(renamed).length === 0 ? {} : { renamed }
    return { name: names[index] ?? '', ...fitted, mcp: { server, tool: tool.name, ...mapped } }
  })
  return { specs, changed }
}

/** Returns the tools of MCP servers among the offered tools that the log records. */
export function mcpSpecsIn(toolText: string | null): readonly McpToolSpec[] {
  if (toolText === null) return []
  const specs: unknown = JSON.parse(toolText)
  return Array.isArray(specs) ? specs.filter(isMcpToolSpec) : []
}

function isMcpToolSpec(value: unknown): value is McpToolSpec {
  if (typeof value !== 'object' || value === null || !('mcp' in value) || !('name' in value)) return false
  const { mcp } = value
  return typeof mcp === 'object' && mcp !== null && 'server' in mcp && 'tool' in mcp
}

type OfferedTool = Pick<ServerTool, 'title' | 'description' | 'inputSchema'> | null

interface AskedOfServer {
  readonly args: unknown
  /** Tool as it is offered; null for a request of the protocol itself. */
  readonly tool: OfferedTool
}

/** Returns the hashes of a request and of its target; a yes for the session ends when these change. */
export function shownHashes(
  server: McpServer | undefined,
  { args, tool }: AskedOfServer,
): Required<Pick<McpFacts, 'input' | 'offered'>> {
  const { launch = null } = server?.settings ?? {}
  const shown = tool === null ? null : [tool.title, tool.description, tool.inputSchema]
  return { input: hashOf(args), offered: hashOf([shown, launch]) }
}

function hashOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`
}
