import type { McpServer } from '@parley/protocol'
import type { Said } from './said.ts'

/** Newest lines of a server's stderr that are shown. */
const stderrLines = 3

/** The tool servers: how each is, and what it said when something is wrong. */
export function mcpTable({ servers }: { readonly servers: readonly McpServer[] }): Said {
  const title =
    servers.length === 0
      ? 'No tool server is configured: [mcp_servers.NAME] in config.toml adds one'
      : 'Tool servers: /mcp restart NAME starts one anew'
  return { kind: 'table', title, rows: servers.flatMap(rowsOf) }
}

function rowsOf({ name, state, tools, restarts, error, stderr }: McpServer): (readonly [string, string])[] {
  const facts = [
    state,
    ...(state === 'ready' ? [`${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`] : []),
    ...(restarts === 0 ? [] : [`started again ${restarts === 1 ? 'once' : `${restarts} times`}`]),
  ]
  const said = (stderr ?? '').split('\n').filter((line) => line.trim() !== '')
  const lines = state === 'ready' ? [] : said.slice(-stderrLines)
  const more = [...(error === undefined ? [] : error.split('\n')), ...lines]
  return [[name, facts.join(' · ')], ...more.map((line) => ['', line] as const)]
}
