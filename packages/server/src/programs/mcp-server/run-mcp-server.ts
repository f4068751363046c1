import { join } from 'node:path'
import type { NamedServer } from '@parley/client/named-servers'
import type { EngineParts } from '@parley/engine'
import { type McpParts, StdioTransport, serveMcp } from '@parley/frontends/mcp'
import { createStreamTransport } from '@parley/rpc'
import { readOrMakeToken } from '@parley/serving/token-file'
import type { McpArguments } from '../arguments.ts'
import { endStdinOnSignals, runWithEngine, untilSignal } from '../engine-program.ts'

/** Text for users that run the command by hand. */
const terminalHint =
  'parley mcp-server speaks MCP on stdin and stdout, for a program that starts it. Ctrl+D ends it; parley help mcp-server says more.\n'

/** Runs an MCP server until its client is gone or a signal ends it. Resolves with the exit code. */
export function runMcpServer(parts: EngineParts, args: McpArguments, server: NamedServer | null): Promise<number> {
  const { listen, approvalTimeoutMs, tokenFile } = args
  return runWithEngine(parts, { ...args, server }, async ({ engine, limits, connect }) => {
    const mcp: McpParts = {
      connect,
      version: engine.identity.serverInfo.version,
      home: engine.identity.home,
      approvalTimeoutMs,
      limits,
      report: (fault) => engine.report(fault),
    }
    if (listen === null) await serveStdio(mcp)
    else await serveHttp(mcp, listen, tokenFile ?? join(engine.identity.home, 'mcp-token'))
  })
}

/** Serves the client on stdin and stdout. A signal is handled like the end of stdin. */
async function serveStdio(mcp: McpParts): Promise<void> {
  endStdinOnSignals()
  if (process.stdin.isTTY) process.stderr.write(terminalHint)
  const lines = createStreamTransport({ input: process.stdin, output: process.stdout })
  const { gone } = await serveMcp(new StdioTransport(lines), mcp, () => lines.bufferedBytes)
  await gone
}

/** Serves HTTP clients until a signal. */
async function serveHttp(mcp: McpParts, listen: { host: string; port: number }, tokenFile: string): Promise<void> {
  // Loaded only when used, to keep the start short.
  const [{ listenHttp }, { carriesToken }] = await Promise.all([
    import('@parley/frontends/mcp-http'),
    import('@parley/rpc/websocket'),
  ])
  const token = readOrMakeToken(tokenFile)
  const isCarried = (authorization: string | undefined) => carriesToken(authorization, token)
  const listening = await listenHttp({ ...listen, carriesToken: isCarried, parts: mcp })
  process.stderr.write(`parley mcp-server listens on ${listening.url} (token in ${tokenFile})\n`)
  await untilSignal()
  await listening.close()
}
