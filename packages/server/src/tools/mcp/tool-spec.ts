import { type NamedTool, offeredNames, type ServerTool } from '@parley/mcp-client'
import type { JsonSchemaObject, ToolSpec } from '@parley/models'
import { firstBytes } from '@parley/text'
/** A tool of an MCP server as the log keeps what the model was offered: with whose it is, so that a call finds it. */
export interface McpToolSpec extends ToolSpec {
  readonly mcp: NamedTool
}

/** More would crowd out the conversation; a server may send anything. */
const maxDescriptionBytes = 4 * 1024

export interface OfferedServer {
  readonly name: string
  readonly tools: readonly ServerTool[]
}

/** What the model is offered of all servers, in an order that does not depend on which was ready first. */
export function toolSpecs(servers: readonly OfferedServer[]): readonly McpToolSpec[] {
  const all = servers
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, tools }) => tools.map((tool) => ({ server: name, tool })))
  const names = offeredNames(all.map(({ server, tool }) => ({ server, tool: tool.name })))
  return all.map(({ server, tool }, index) => ({
    name: names[index] ?? '',
    description: firstBytes(tool.description, maxDescriptionBytes),
    parameters: acceptable(tool.inputSchema),
    mcp: { server, tool: tool.name },
  }))
}

/** As the server gave it; providers want `properties` even where there are none. */
function acceptable(schema: Readonly<Record<string, unknown>>): JsonSchemaObject {
  return { ...schema, type: 'object', ...('properties' in schema ? {} : { properties: {} }) }
}

/** The ones of MCP servers among the tools that the log says were offered; whatever else is there is passed over. */
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
