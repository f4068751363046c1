import { type McpConnection, type McpServer, type ServerResource, textOfParts } from '@parley/mcp-client'
import { errorMessage } from '@parley/text'
import * as z from 'zod'
import { defineTool } from '../contract/define-tool.ts'
import type { Tool, ToolContext, ToolOutcome } from '../contract/tool.ts'
import { shownHashes } from './mcp-tool.ts'
import { createResultFiles, failureOutcome, resultOutcome, withImages } from './run-mcp-call.ts'

const listInput = z.object({ server: z.string().optional() })

const readInput = z.object({ server: z.string().min(1), uri: z.string().min(1) })

/** Returns the tools that list and read resources, offered when a server has any. */
export function resourceTools(servers: readonly McpServer[]): readonly Tool[] {
  return [listResourcesTool(servers), readResourceTool(servers)]
}

function listResourcesTool(servers: readonly McpServer[]): Tool {
  return defineTool({
    name: 'list_mcp_resources',
    description: 'Lists the resources of the MCP servers, or of one of them.',
    readOnly: true,
    input: listInput,
    prepare: (input) => ({
      describe: () => ({
        type: 'toolCall',
        kind: 'search',
        title: `List resources of ${input.server ?? 'all MCP servers'}`,
        text: '',
        input: JSON.stringify(input),
      }),
      facts: async () => ({ kind: 'other', tool: 'list_mcp_resources', readOnly: true }),
      plan: async () => ({
        payload: JSON.stringify(input),
        run: (context) => listResources(servers, input.server, context),
      }),
    }),
  })
}

function readResourceTool(servers: readonly McpServer[]): Tool {
  return defineTool({
    name: 'read_mcp_resource',
    description: 'Reads a resource of an MCP server.',
    readOnly: true,
    input: readInput,
    prepare: ({ server, uri }) => ({
      describe: () => ({
        type: 'toolCall',
        kind: 'fetch',
        title: `Read ${uri} of ${server}`,
        text: '',
        input: JSON.stringify({ server, uri }),
      }),
      facts: async () => ({
        kind: 'mcp',
        tool: 'read_mcp_resource',
        server,
        name: 'resources/read',
        readOnly: true,
        ...shownHashes(
          servers.find(({ name }) => name === server),
          { args: { server, uri }, tool: null },
        ),
      }),
      plan: async () => ({
        payload: JSON.stringify({ server, uri }),
        run: (context) => readResource(servers, { server, uri }, context),
      }),
    }),
  })
}

async function listResources(
  servers: readonly McpServer[],
  only: string | undefined,
  context: ToolContext,
): Promise<ToolOutcome> {
  const wanted = servers.filter(({ name, hasResources }) => (only === undefined ? hasResources : name === only))
  if (wanted.length === 0) return failureOutcome('mcpServerUnavailable', noneText(servers))
  const lists = await Promise.all(
    wanted.map(async (server) => {
      const found = await asked(server, context, (connection, signal) => connection.resources(signal))
      if ('problem' in found) return `${server.name}: ${found.problem}`
      const { resources, problem } = found.value
      const cut = problem === null ? [] : [`  (There may be more: ${problem}.)`]
      return [`${server.name}:`, ...resources.map(lineOf), ...cut].join('\n')
    }),
  )
  return resultOutcome(lists.join('\n'), false, context)
}

function lineOf({ uri, name, description, mimeType }: ServerResource): string {
  return `  ${[uri, name === uri ? '' : name, mimeType ?? '', description].filter((part) => part !== '').join(' · ')}`
}

async function readResource(
  servers: readonly McpServer[],
  { server: name, uri }: { server: string; uri: string },
  context: ToolContext,
): Promise<ToolOutcome> {
  const server = servers.find((known) => known.name === name)
  if (server === undefined) return failureOutcome('mcpServerUnavailable', noneText(servers))
  const found = await asked(server, context, (connection, signal) => connection.readResource(uri, signal))
  if ('problem' in found) return failureOutcome('mcpCallFailed', `${name}: ${found.problem}`)
  const kept = createResultFiles(context.files)
  return withImages(await resultOutcome(await textOfParts(found.value, kept.keep), false, context), kept)
}

async function asked<Value>(
  server: McpServer,
  { signal }: ToolContext,
  ask: (connection: McpConnection, signal: AbortSignal) => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly problem: string }> {
  const connection = await server.connection(signal)
  if (typeof connection === 'string') return { problem: `not available: ${connection}` }
  try {
    const limit = AbortSignal.timeout(server.settings.toolTimeoutMs)
    return { value: await ask(connection, AbortSignal.any([signal, limit])) }
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}

function noneText(servers: readonly McpServer[]): string {
  const names = servers.filter(({ hasResources }) => hasResources).map(({ name }) => name)
  return names.length === 0 ? 'No MCP server here has resources.' : `Servers with resources: ${names.join(', ')}.`
}
