import type { McpServers } from '@parley/mcp-client'
import { rejection } from './refusal.ts'

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
