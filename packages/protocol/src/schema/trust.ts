import * as z from 'zod'

const projectProgram = z
  .object({
    name: z.string().describe('Of the MCP server, the key of its `[mcp_servers.X]`.'),
    argv: z.array(z.string()).describe('Exactly what is started; empty for an endpoint.'),
    cwd: z.string().exactOptional().describe('Where it is started.'),
    env: z.record(z.string(), z.string()).exactOptional().describe('Variables the project gives it.'),
    url: z.string().exactOptional().describe('The endpoint that is connected to.'),
    sandboxed: z
      .boolean()
      .describe('Whether it runs inside the sandbox; otherwise it may do all that you may. False for an endpoint.'),
    network: z.boolean().describe('Whether it can reach the network.'),
  })
  .describe('A program that trust lets start, or an endpoint that it lets parley talk to.')

export const trustReport = z
  .object({
    root: z.string().describe('Real path of the project: the repository of `cwd`, or `cwd` itself.'),
    state: z
      .enum(['none', 'untrusted', 'changed', 'trusted', 'declined'])
      .describe(
        '`none`: it has no configuration. `changed`: another content was trusted. Only what is `trusted` takes effect.',
      ),
    hash: z.string().nullable().describe('Of all that would take effect, for `trust/decide`; null when there is none.'),
    wouldRun: z.array(projectProgram),
    changes: z.array(z.string()).describe('Settings and rules that would take effect, in words.'),
    ignored: z.array(z.string()).describe('What is there and never takes effect, with why.'),
    files: z
      .array(z.object({ path: z.string().describe('Relative to `root`.'), text: z.string() }))
      .describe('The files themselves. Programs of the project that would run are named without their text.'),
    diff: z.string().exactOptional().describe('Against what was trusted before, where that is known.'),
  })
  .describe('What a project’s own configuration would do.')

export type TrustReport = z.infer<typeof trustReport>
