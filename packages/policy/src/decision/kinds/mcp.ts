import * as z from 'zod'
import { matchesMcpPattern } from '../rules/mcp-pattern.ts'
import type { FactsKind } from './kind.ts'
import { toolRows, toolRowsFor } from './other-tool.ts'

/** Facts about a request to an MCP server. */
export interface McpFacts {
  readonly kind: 'mcp'
  readonly tool: string
  /** Key of `[mcp_servers.X]`. */
  readonly server: string
  /** Tool by the server's own name, or another request to the server, such as `resources/read`. */
  readonly name: string
  /** Limits of the sandbox that the server runs in. Absent for a server that runs with all rights of the user. */
  readonly confined?: { readonly mode: 'read-only' | 'workspace-write'; readonly network: boolean }
  /** True for requests known to change nothing. Annotations of the server are not trusted. */
  readonly readOnly: boolean
  /** Hash of the arguments. Facts of older conversations lack it. */
  readonly input?: string
  /** Hash of the tool as its server offers it, and of how that is started. Facts of older conversations lack it. */
  readonly offered?: string
}

/** Rows of tools of a server in the sandbox, which limits the server but not the purpose of its tools. */
const confinedRows = toolRowsFor('its server runs inside the sandbox, and what the tool does there is not known')

export const mcpKind: FactsKind<McpFacts> = {
  schema: () =>
    z.object({
      kind: z.literal('mcp'),
      tool: z.string(),
      server: z.string(),
      name: z.string(),
      confined: z.object({ mode: z.enum(['read-only', 'workspace-write']), network: z.boolean() }).exactOptional(),
      readOnly: z.boolean(),
      input: z.string().exactOptional(),
      offered: z.string().exactOptional(),
    }),

  row({ readOnly, confined }) {
    const rows = confined === undefined ? toolRows : confinedRows
    return readOnly ? rows.toolReadOnly : rows.toolWithEffects
  },

  particulars: ({ name, server }) => `${name} of the MCP server ${server}`,

  describe({ server, name, readOnly, confined }) {
    const looks = readOnly ? ', which only looks' : ''
    const where = confined === undefined ? '' : '; it runs inside the sandbox'
    return [{ about: 'asks', text: `the MCP server ${server} for ${name}${looks}${where}` }]
  },

  allowedBy: (facts, allowing) =>
    allowing.find(({ target }) => target.kind === 'mcp' && matchesMcpPattern(target.pattern, facts)) ?? null,
  strictMatcher: (facts) => (target) => target.kind === 'mcp' && matchesMcpPattern(target.pattern, facts),

  alwaysTargets({ server, name }) {
    const pattern = `${server}/${name}`
    return isPlain(pattern) ? [{ kind: 'mcp', pattern }] : null
  },

  exactly: ({ input, offered }) => (input === undefined || offered === undefined ? null : 'exactly this call'),
  alike({ server, name, offered = '', confined = null }) {
    const pattern = `${server}/${name}`
    // Facts of older logs have no hashes, and are judged as they were then; every call that runs now has hashes.
    if (offered !== '' && !isPlain(pattern)) return null
    return { words: `any call of ${pattern}`, marks: [JSON.stringify([server, name, offered, confined])] }
  },

  approvalKind: () => 'mcpTool',
  askedLimits: ({ confined }, { network }) => (confined === undefined ? {} : { network }),

  // The server was started before the call, under limits that the conversation's mode does not widen.
  limits: ({ confined }) =>
    confined === undefined ? { sandbox: 'none', network: true } : { sandbox: confined.mode, network: confined.network },
}

/** Returns whether a foreign name is unmistakable in the words of an answer and as a pattern in a rule. */
function isPlain(pattern: string): boolean {
  return /^[\w.-]+\/[\w./-]+$/.test(pattern)
}
