import { join } from 'node:path'
import { type Connect, connectClient } from '@parley/client/low-level'
import { unsavedExitCode } from '@parley/protocol'
import { createMemoryTransportPair, createStreamTransport } from '@parley/rpc'
import { createEngine, type Engine, type EngineParts } from '../../engine/index.ts'
import { callersLimits } from '../../frontends/callers-limits.ts'
import { serveConnection } from '../../frontends/conversation/connections.ts'
import { type McpParts, serveMcp } from '../../frontends/mcp/serve-mcp.ts'
import { StdioTransport } from '../../frontends/mcp/stdio-transport.ts'
import { readOrMakeToken } from '../../serving/token-file.ts'
import type { McpArguments } from '../arguments.ts'
import { endOnDefect, keepStdoutForProtocol } from '../conventions.ts'
import { joinRunFolder } from '../join-run-folder.ts'

/** Text for a user who runs the command by hand. */
const terminalHint =
  'parley mcp-server speaks MCP on stdin and stdout, for a program that starts it. Ctrl+D ends it; parley help mcp-server says more.\n'

/** Runs an MCP server until its client is gone or a signal ends it. Resolves with the exit code. */
export async function runMcpServer(parts: EngineParts, args: McpArguments): Promise<number> {
  keepStdoutForProtocol()
  const { writeLog } = parts
  const engine = createEngine({ ...parts, ceiling: args.ceiling })
  const close = async () => {
    await engine[Symbol.asyncDispose]()
    await parts.host.close()
  }
  endOnDefect(writeLog, close)
  const { listen, approvalTimeoutMs, tokenFile } = args
  const mcp: McpParts = {
    connect: connectorTo(engine),
    version: engine.identity.serverInfo.version,
    home: engine.home,
    approvalTimeoutMs,
    limits: callersLimits({
      ceiling: engine.ceiling,
      assertAllowed: engine.assertAllowed,
      assertFolders: engine.assertFolders,
      isUnlimited: args.ceiling.maxSandbox === 'danger-full-access',
    }),
    report: (fault) => engine.report(fault),
  }
  const leaveRunFolder = await joinRunFolder(engine, parts)
  try {
    if (listen === null) await serveStdio(mcp)
    else await serveHttp(mcp, listen, tokenFile ?? join(engine.home, 'mcp-token'))
  } finally {
    await leaveRunFolder()
  }
  return close().then(
    () => 0,
    (error: unknown) => {
      writeLog(String(error))
      return unsavedExitCode
    },
  )
}

/** Returns the function by which the MCP frontend connects to the engine, over memory and as any client. */
export function connectorTo(engine: Engine): Connect {
  return (who) => {
    const [ours, theirs] = createMemoryTransportPair()
    void serveConnection(theirs, engine)
    return connectClient({ ...who, transport: ours })
  }
}

/** Serves the client on stdin and stdout. A signal is handled like the end of stdin. */
async function serveStdio(mcp: McpParts): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.stdin.destroy())
  process.on('SIGHUP', () => undefined)
  if (process.stdin.isTTY) process.stderr.write(terminalHint)
  const lines = createStreamTransport({ input: process.stdin, output: process.stdout })
  const { gone } = await serveMcp(new StdioTransport(lines), mcp, () => lines.bufferedBytes)
  await gone
}

/** Serves HTTP clients until a signal. */
async function serveHttp(mcp: McpParts, listen: { host: string; port: number }, tokenFile: string): Promise<void> {
  // Loaded only when used, to keep the start short.
  const [{ listenHttp }, { carriesToken }] = await Promise.all([
    import('../../frontends/mcp/http/listen-http.ts'),
    import('@parley/rpc/websocket'),
  ])
  const token = readOrMakeToken(tokenFile)
  const isCarried = (authorization: string | undefined) => carriesToken(authorization, token)
  const listening = await listenHttp({ ...listen, carriesToken: isCarried, parts: mcp })
  process.stderr.write(`parley mcp-server listens on ${listening.url} (token in ${tokenFile})\n`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve)
  })
  await listening.close()
}
