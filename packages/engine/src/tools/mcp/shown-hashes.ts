import { createHash } from 'node:crypto'
import type { McpServer, ServerTool } from '@parley/mcp-client'
import type { McpFacts } from '@parley/policy'

type OfferedTool = Pick<ServerTool, 'title' | 'description' | 'inputSchema'> | null

interface AskedOfServer {
  readonly args: unknown
  /** Tool as it is offered; null for a request of the protocol itself. */
  readonly tool: OfferedTool
}

/** Returns the hashes of a request and of what it is made to, by which a yes for the session ends when these change. */
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
