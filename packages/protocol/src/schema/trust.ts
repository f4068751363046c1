import * as z from 'zod'

const projectProgram = z
  .object({
    name: z.string().describe('Name of the MCP server, the key of its `[mcp_servers.X]`.'),
    argv: z.array(z.string()).describe('Exact argv; empty for an endpoint.'),
    cwd: z.string().exactOptional().describe('Folder it is started in.'),
    env: z.record(z.string(), z.string()).exactOptional().describe('Variables set by the project.'),
    url: z.string().exactOptional().describe('URL of the endpoint.'),
    sandboxed: z
      .boolean()
      .describe(
        'True when it runs inside the sandbox; otherwise it has all rights of the user. False for an endpoint.',
      ),
    network: z.boolean().describe('True when it can reach the network.'),
  })
  .describe('A program that is started, or an endpoint that is connected to, once the project is trusted.')

export const trustReport = z
  .object({
    root: z.string().describe('Real path of the project: the repository of `cwd`, or `cwd` itself.'),
    state: z
      .enum(['none', 'untrusted', 'changed', 'trusted', 'declined'])
      .describe(
        '`none`: the project has no configuration. `changed`: other content was trusted before. Only `trusted` content takes effect.',
      ),
    hash: z
      .string()
      .nullable()
      .describe('Hash of all content that would take effect, for `trust/decide`; null when there is none.'),
    wouldRun: z.array(projectProgram),
    changes: z.array(z.string()).describe('Sentences about the settings and rules that would take effect.'),
    ignored: z.array(z.string()).describe('Configuration that never takes effect in a project, with the reason.'),
    files: z
      .array(z.object({ path: z.string().describe('Relative to `root`.'), text: z.string() }))
      .describe('Files of the configuration. Programs of the project that would run are listed without their text.'),
    diff: z.string().exactOptional().describe('Difference from the content trusted before, where that is known.'),
  })
  .describe('Effects of a project’s own configuration.')

export type TrustReport = z.infer<typeof trustReport>
