import type { McpLaunch, McpServer } from '@parley/mcp-client'
import type { McpFacts } from '@parley/policy'
import type { PreparedCall, Tool } from '../tool.ts'
import { callFailed } from './call-outcome.ts'
import { runMcpCall } from './run-mcp-call.ts'
import type { McpToolSpec } from './tool-spec.ts'

/** A tool of an MCP server, as the log says it was offered: understood also when its server is not there (yet). */
export function mcpTool(spec: McpToolSpec, servers: readonly McpServer[]): Tool {
  const { name, description, parameters, mcp } = spec
  return {
    name,
    description,
    parameters,
    readOnly: false,
    prepare(args) {
      if (!isObject(args)) return { problem: 'They must be an object.' }
      const server = servers.find((known) => known.name === mcp.server)
      return prepareMcpCall({ offeredAs: name, server: mcp.server, tool: mcp.tool, args }, server)
    },
  }
}

interface OfferedCall {
  readonly offeredAs: string
  readonly server: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

function prepareMcpCall({ offeredAs, server, tool, args }: OfferedCall, found: McpServer | undefined): PreparedCall {
  const input = JSON.stringify(args)
  return {
    describe: () => ({
      type: 'toolCall',
      title: `${server}: ${tool}`.replaceAll(/\s+/g, ' '),
      text: JSON.stringify(args, null, 2),
      input,
    }),
    facts: async () => ({
      kind: 'mcp',
      tool: offeredAs,
      server,
      name: tool,
      ...confinedFact(found?.settings.launch),
      readOnly: false,
    }),
    workOut: async () => ({
      // With what is run under the server's name: a yes is to that one.
      payload: JSON.stringify({ server, tool, args, launch: found?.settings.launch ?? null }),
      run: async (context) =>
        found === undefined
          ? callFailed('mcpServerUnavailable', `Not sent: no MCP server "${server}" is configured any more.`)
          : runMcpCall(found, { tool, args }, context),
    }),
  }
}

/** One that may run bare where nothing limits it is said to be without limits everywhere. */
function confinedFact(launch: McpLaunch | undefined): Pick<McpFacts, 'confined'> {
  if (launch?.kind !== 'stdio' || launch.sandboxPolicy === undefined || launch.sandboxPolicy.mayRunUnsandboxed)
    return {}
  const { mode, network } = launch.sandboxPolicy
  return { confined: { mode, network } }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
