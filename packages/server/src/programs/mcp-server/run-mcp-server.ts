import { join } from 'node:path'
import { createStreamTransport } from '@parley/rpc'
import { createEngine, type Engine, type EngineParts } from '../../engine/engine.ts'
import { sweepScratch } from '../../engine/limits/sweep-scratch.ts'
import { createConnections } from '../../frontends/conversation/connections.ts'
import { callersLimits } from '../../frontends/mcp/callers-limits.ts'
import { connectorTo } from '../../frontends/mcp/native-link.ts'
import { type McpParts, serveMcp } from '../../frontends/mcp/serve-mcp.ts'
import { StdioTransport } from '../../frontends/mcp/stdio-transport.ts'
import { listenInRunFolder } from '../../serving/run-folder.ts'
import { readOrMakeToken } from '../../serving/token-file.ts'
import type { McpArguments } from '../arguments.ts'
import { endOnDefect, keepStdoutForProtocol, sweepLater } from '../conventions.ts'

/** The disk refused at the end (EX_IOERR). */
const unsavedExitCode = 74

/** Someone has typed the command to see what it does. */
const forPeople =
  'parley mcp-server speaks MCP on stdin and stdout, for a program that starts it. Ctrl+D ends it; parley help mcp-server says more.\n'

/** Makes this process an MCP server. Resolves with the exit code when its client is gone, or it is told to end. */
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
    limits: callersLimits({ ...engine, isUnlimited: args.ceiling.maxSandbox === 'danger-full-access' }),
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

/** A client that goes away closes our stdin; a signal is taken for the same. */
async function serveStdio(mcp: McpParts): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.stdin.destroy())
  process.on('SIGHUP', () => undefined)
  if (process.stdin.isTTY) process.stderr.write(forPeople)
  const lines = createStreamTransport({ input: process.stdin, output: process.stdout })
  const { gone } = await serveMcp(new StdioTransport(lines), mcp, () => lines.bufferedBytes)
  await gone
}

/** Until a signal: clients come and go. */
async function serveHttp(mcp: McpParts, listen: { host: string; port: number }, tokenFile: string): Promise<void> {
  // Only who asks for it loads it.
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

/** Other processes join conversations that are open here by a socket of this one. */
async function joinRunFolder(
  engine: Engine,
  { env, home, files, writeLog }: EngineParts,
): Promise<() => Promise<void>> {
  const connections = createConnections({ engine, onChange: () => undefined })
  const listener = await listenInRunFolder({
    env,
    home,
    onConnection: (transport) => connections.accept(transport, 'socket'),
    onProblem: writeLog,
  })
  const socket = listener?.address ?? null
  engine.listensAt({ socket, others: [] })
  sweepLater(writeLog, { socket, sweepFolders: () => sweepScratch(files, home) })
  return async () => {
    await listener?.close()
    await connections.close()
  }
}
